export { type Optimised, optimised, optimisingSteps } from "./optimised.ts";
export { type OptimiseOptions, optimise } from "./pipeline.ts";
