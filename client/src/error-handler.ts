/** Starts a server again that died, unless it goes on dying, and says why. */
import { commands, type LogOutputChannel, window } from "vscode";
import { CloseAction, ErrorAction, type ErrorHandler } from "vscode-languageclient";
import { Deaths } from "./deaths.ts";

/** Errors in a row on the way to and from the server before it is given up. */
const mostErrors = 3;
const [showLog, restart] = ["Show Log", "Restart"];

/** @param why the server ended; asked when the connection to it has closed */
export function errorHandler(log: LogOutputChannel, why: () => Promise<string>): ErrorHandler {
  const deaths = new Deaths();
  return {
    error: (_, __, count) => ({ action: (count ?? 0) <= mostErrors ? ErrorAction.Continue : ErrorAction.Shutdown }),
    async closed() {
      const { startsAgain, message, isNews } = deaths.judge(await why(), Date.now());
      if (isNews) void tell(message, startsAgain, log);
      return { action: startsAgain ? CloseAction.Restart : CloseAction.DoNotRestart, message, handled: true };
    },
  };
}

async function tell(message: string, startsAgain: boolean, log: LogOutputChannel): Promise<void> {
  const picked = startsAgain ? await window.showWarningMessage(message, showLog) : await window.showErrorMessage(message, restart, showLog);
  if (picked === showLog) log.show();
  if (picked === restart) await commands.executeCommand("warplens.restart");
}
