/** In the place of an item of a list that the server never tells: nothing is one. */
exports.default = class {};
Object.defineProperty(exports, "__esModule", { value: true });
