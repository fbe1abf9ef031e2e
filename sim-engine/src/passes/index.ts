export { type Optimised, optimised } from "./optimised.ts";
export { type OptimiseOptions, optimise } from "./pipeline.ts";
