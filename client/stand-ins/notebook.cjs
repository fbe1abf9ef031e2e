/** In the place of the library's notebooks, with which the server has nothing to do: the library's diagnostics listen to them. */
const { NotebookDocumentSyncRegistrationType } = require("vscode-languageserver-protocol");

const nothing = () => ({ dispose() {} });

exports.NotebookDocumentSyncFeature = class {
  static CellScheme = "vscode-notebook-cell";
  registrationType = NotebookDocumentSyncRegistrationType;
  onOpenNotificationSent = nothing;
  onChangeNotificationSent = nothing;
  onSaveNotificationSent = nothing;
  onCloseNotificationSent = nothing;
  fillClientCapabilities() {}
  initialize() {}
  register() {}
  unregister() {}
  clear() {}
  getProvider() {}
  getState() {
    return { kind: "document", id: this.registrationType.method, registrations: false, matches: false };
  }
  handles() {
    return false;
  }
};
