/** A file system that is nowhere but in this extension, as a repository that is looked at without a checkout. */
const vscode = require("vscode");

const texts = {
  "/project/sizes.cuh": "#define SIDE 2048\n",
  "/project/warplens.json": '{ "gpu": "t4" }\n',
  "/project/main.cu": `#include "sizes.cuh"
__global__ void strided(float *out, const float *in) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[x * SIDE] = in[x];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * SIDE * sizeof(float));
  cudaMalloc(&out, 64ull * SIDE * SIDE * sizeof(float));
  strided<<<64 * SIDE / 256, 256>>>(out, in);
}
`,
};

const missing = (uri) => vscode.FileSystemError.FileNotFound(uri);
const files = Object.keys(texts);
const folders = ["/", "/project"];

const provider = {
  onDidChangeFile: new vscode.EventEmitter().event,
  watch: () => new vscode.Disposable(() => undefined),
  stat(uri) {
    if (folders.includes(uri.path)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    const text = texts[uri.path];
    if (text === undefined) throw missing(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: text.length };
  },
  readDirectory(uri) {
    return files
      .filter((file) => uri.path === "/project" && file.startsWith("/project/"))
      .map((file) => [file.slice(9), vscode.FileType.File]);
  },
  readFile(uri) {
    const text = texts[uri.path];
    if (text === undefined) throw missing(uri);
    return new TextEncoder().encode(text);
  },
  createDirectory: (uri) => {
    throw vscode.FileSystemError.NoPermissions(uri);
  },
  writeFile: (uri) => {
    throw vscode.FileSystemError.NoPermissions(uri);
  },
  delete: (uri) => {
    throw vscode.FileSystemError.NoPermissions(uri);
  },
  rename: (uri) => {
    throw vscode.FileSystemError.NoPermissions(uri);
  },
};

exports.activate = (context) =>
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("vscode-test-web", provider, { isReadonly: true }));
