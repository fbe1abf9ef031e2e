/** The server's process: how it is started, and how it ended. */
import { createInterface } from "node:readline";
import {
  LanguageClient,
  type LanguageClientOptions,
  type MessageTransports,
  type ServerOptions,
  TransportKind,
} from "vscode-languageclient/node";
import { whyEnded } from "./deaths.ts";

/** Lines of what the server said last that are looked through for a reason. */
const mostLines = 50;
/** Milliseconds in which a process ends once its connection has. */
const patience = 1000;

/** How a server's process ended, once it has. */
export class ProcessEnd {
  readonly #said: string[] = [];
  #ended: Promise<string> = Promise.resolve("its connection closed");

  /** A line of its standard error. */
  said(line: string): void {
    this.#said.push(line);
    if (this.#said.length > mostLines) this.#said.shift();
  }

  watch(process: LanguageClient["serverProcess"]): void {
    this.#said.length = 0;
    this.#ended = new Promise((end) => {
      // Not when it exits: what it said last is still on its way then.
      process?.once("close", (code, signal) => end(whyEnded(code, signal, this.#said)));
    });
  }

  /** Asked when the connection has closed. */
  why(): Promise<string> {
    return Promise.race([
      this.#ended,
      new Promise<string>((end) => {
        setTimeout(end, patience, "its connection closed");
      }),
    ]);
  }
}

/** A client of a server in a process of its own. */
export class ProcessClient extends LanguageClient {
  readonly #end: ProcessEnd;

  /** @param end told how each process of the server ended */
  constructor(id: string, name: string, module: string, options: LanguageClientOptions, end: ProcessEnd) {
    const run = { module, transport: TransportKind.ipc };
    const server: ServerOptions = { run, debug: { ...run, options: { execArgv: ["--nolazy", "--inspect=6009"] } } };
    super(id, name, server, {
      ...options,
      stdioOptions: {
        stdout: (output, log) => createInterface({ input: output }).on("line", (line) => log.info(line)),
        stderr: (output, log) =>
          createInterface({ input: output }).on("line", (line) => {
            end.said(line);
            log.error(line);
          }),
      },
    });
    this.#end = end;
  }

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const transports = await super.createMessageTransports(encoding);
    this.#end.watch(this.serverProcess);
    return transports;
  }
}
