import { Uri, type Webview } from "vscode";
import { contentPolicy } from "./policy.ts";

/** The panel's page. Nothing but the bundled script and style loads: no remote content, no inline code. */
export function panelHtml(webview: Webview, extension: Uri): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const nonce = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const asset = (name: string) => webview.asWebviewUri(Uri.joinPath(extension, "dist", name)).toString(true);
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${contentPolicy(webview.cspSource, nonce)}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="${asset("panel.css")}">
  <title>WarpLens</title>
</head>
<body>
  <main id="root"></main>
  <script nonce="${nonce}" src="${asset("panel.js")}"></script>
</body>
</html>`;
}
