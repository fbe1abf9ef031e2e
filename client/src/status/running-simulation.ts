/** The simulation whose progress the server shows: one at a time, and the user can stop it. */
import { commands } from "vscode";
import type {
  BaseLanguageClient,
  ProgressToken,
  WorkDoneProgressBegin,
  WorkDoneProgressEnd,
  WorkDoneProgressReport,
} from "vscode-languageclient";
import { WorkDoneProgressCancelNotification } from "vscode-languageclient";

/** Commands that stop it are enabled while this is set. */
const context = "warplens.isSimulating";

export class RunningSimulation {
  #token: ProgressToken | undefined;

  /** The server's word on its progress, as it comes. */
  told(token: ProgressToken, { kind }: WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd): void {
    if (kind === "begin") this.#token = token;
    else if (kind === "end" && this.#token === token) this.#token = undefined;
    else return;
    void commands.executeCommand("setContext", context, this.#token !== undefined);
  }

  async stop(client: BaseLanguageClient): Promise<void> {
    if (this.#token !== undefined) await client.sendNotification(WorkDoneProgressCancelNotification.type, { token: this.#token });
  }
}
