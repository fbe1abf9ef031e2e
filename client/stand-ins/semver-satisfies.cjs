/** The manifest says which editor the extension needs: any does. */
module.exports = () => true;
