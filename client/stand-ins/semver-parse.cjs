/** The manifest says which editor the extension needs: no version is looked at. */
module.exports = () => ({ prerelease: [] });
