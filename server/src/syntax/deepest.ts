/**
 * Levels of the syntax that are converted: everything after recurses into them. Clang ends at 256 brackets (`-fbracket-depth`), of which
 * each may be two levels.
 */
export const deepest = 400;

/** Namespaces in each other whose declarations are pieces of their own; in a deeper one everything is one piece. */
export const deepestPieces = 64;
