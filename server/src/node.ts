/** The server's entry on the desktop. The thread of the analysis starts first: it loads while the server itself does. */
import { startThread } from "./worker/thread.ts";

const start = (): ReturnType<typeof startThread> => startThread(new URL("./worker.js", import.meta.url));
const first = start();
const { serve } = await import("./node-server.ts");
serve(start, first);
