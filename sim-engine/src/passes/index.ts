export { type OptimiseOptions, optimise } from "./pipeline.ts";
