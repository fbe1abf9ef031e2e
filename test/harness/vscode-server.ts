/** VS Code's own server and workbench, as the npm package code-server carries them, on a free port with a home of its own. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

/** Where VS Code's server is, and the Node that it wants. */
export interface VscodeInstall {
  readonly server: string;
  readonly node: string;
}

/** Nothing that moves, fetches or asks. */
const quiet = {
  "chat.commandCenter.enabled": false,
  "chat.disableAIFeatures": true,
  "editor.minimap.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "git.enabled": false,
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.commandCenter": false,
  "workbench.enableExperiments": false,
  "workbench.layoutControl.enabled": false,
  // A view that takes the focus once it is ready would close what is typed into by then.
  "workbench.quickOpen.closeOnFocusLost": false,
  // What fades out is still seen, but takes no input.
  "workbench.reduceMotion": "on",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
};

/** A folder is not trusted, and nobody is asked at the start. */
const restricting = { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" };

export interface VscodeServer {
  /** host:port, as `vscode-remote` URIs name it. */
  readonly authority: string;
  /** A scratch folder that goes when the server stops. */
  readonly home: string;
  stop(): Promise<void>;
}

interface Options {
  /** A package to install first. */
  readonly vsix?: string | undefined;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether folders are trusted only once the user says so; else all are. */
  readonly asksTrust?: boolean;
}

export async function startServer(
  { server, node }: VscodeInstall,
  { vsix, settings, env, asksTrust = false }: Options = {},
): Promise<VscodeServer> {
  // Sockets land in the home, and their paths may have 107 characters.
  const home = mkdtempSync(path.join(tmpdir(), "wl-"));
  const data = path.join(home, "data");
  mkdirSync(path.join(data, "User"), { recursive: true });
  writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({ ...quiet, ...(asksTrust ? restricting : {}), ...settings }));
  const places = ["--server-data-dir", data, "--user-data-dir", data, "--extensions-dir", path.join(home, "extensions")];
  const environment = { ...process.env, ...env, HOME: home, TMPDIR: home, XDG_RUNTIME_DIR: home };
  for (const name of ["NODE_OPTIONS", "VSCODE_IPC_HOOK_CLI", "ELECTRON_RUN_AS_NODE"]) Reflect.deleteProperty(environment, name);

  if (vsix) {
    const installed = spawnSync(node, [server, "--install-extension", vsix, ...places], { env: environment, cwd: home, encoding: "utf8" });
    if (installed.status !== 0) throw new Error(`The .vsix does not install:\n${installed.stdout}${installed.stderr}`);
  }
  // The smoke test driver is what makes a released build honour extensions under development and their tests.
  const flags = [
    "--accept-server-license-terms",
    "--without-connection-token",
    "--enable-smoke-test-driver",
    ...(asksTrust ? [] : ["--disable-workspace-trust"]),
  ];
  const child = spawn(node, [server, "--host", "127.0.0.1", "--port", "0", ...flags, "--disable-telemetry", ...places], {
    env: environment,
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that stopping ends the extension hosts and language servers too.
    detached: true,
  });
  const end = () => endGroup(child);
  process.once("exit", end);
  const stop = async () => {
    process.off("exit", end);
    const gone = child.exitCode === null ? once(child, "exit") : undefined;
    end();
    await gone;
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    return { authority: `127.0.0.1:${await portOf(child)}`, home, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function portOf(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  if (!child.stdout) throw new Error("VS Code's server has no output");
  for await (const line of createInterface(child.stdout)) {
    said.push(`${line}\n`);
    const port = /Extension host agent listening on (\d+)/.exec(line)?.[1];
    if (port) {
      child.stdout.resume();
      return port;
    }
  }
  throw new Error(`VS Code's server ended before it was ready:\n${said.join("")}`);
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Already gone.
  }
}
