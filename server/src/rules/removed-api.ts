import { lastName } from "../analysis/sema/scope.ts";
import type { Expression } from "../syntax/ast.ts";
import { defineRule, type Finding, type RuleContext } from "./rule.ts";
import { all, replace } from "./support/edits.ts";
import { groupBy } from "./support/group-by.ts";
import { libraryName } from "./support/library-calls.ts";
import { isOwn } from "./support/syntax-index.ts";

/** Functions that CUDA 13.0 does not declare, and what stands for them: with `=` under another name alone. */
const functions: Readonly<Record<string, string>> = {
  cudaThreadSynchronize: "=cudaDeviceSynchronize",
  cudaThreadExit: "=cudaDeviceReset",
  cudaThreadSetLimit: "=cudaDeviceSetLimit",
  cudaThreadGetLimit: "=cudaDeviceGetLimit",
  cudaThreadSetCacheConfig: "=cudaDeviceSetCacheConfig",
  cudaThreadGetCacheConfig: "=cudaDeviceGetCacheConfig",
  cudaBindTexture: "a texture object: `cudaCreateTextureObject`",
  cudaBindTexture2D: "a texture object: `cudaCreateTextureObject`",
  cudaBindTextureToArray: "a texture object: `cudaCreateTextureObject`",
  cudaUnbindTexture: "a texture object: `cudaDestroyTextureObject`",
  cudaGetTextureReference: "a texture object: `cudaCreateTextureObject`",
  cudaBindSurfaceToArray: "a surface object: `cudaCreateSurfaceObject`",
  cudaGetSurfaceReference: "a surface object: `cudaCreateSurfaceObject`",
  cudaLaunchCooperativeKernelMultiDevice: "`cudaLaunchCooperativeKernel` on each device, and a barrier of your own between them",
  cudaConfigureCall: "`cudaLaunchKernel`, or `<<<...>>>`",
  cudaSetupArgument: "`cudaLaunchKernel`, or `<<<...>>>`",
  cudaLaunch: "`cudaLaunchKernel`, or `<<<...>>>`",
  cudaProfilerInitialize: "`cudaProfilerStart`, and the profiler's own options",
};

/** Members of `cudaDeviceProp` that CUDA 13.0 does not have, and the attributes that tell the same. */
const members: Readonly<Record<string, string>> = {
  clockRate: "cudaDevAttrClockRate",
  memoryClockRate: "cudaDevAttrMemoryClockRate",
  deviceOverlap: "cudaDevAttrAsyncEngineCount",
  kernelExecTimeoutEnabled: "cudaDevAttrKernelExecTimeout",
  computeMode: "cudaDevAttrComputeMode",
  singleToDoublePrecisionPerfRatio: "cudaDevAttrSingleToDoublePrecisionPerfRatio",
  cooperativeMultiDeviceLaunch: "cudaDevAttrCooperativeLaunch",
  maxTexture1DLinear: "cudaDeviceGetTexture1DLinearMaxWidth",
};

const functionNames = new RegExp(`tex[123]D|${Object.keys(functions).join("|")}`);
const memberNames = new RegExp(Object.keys(members).join("|"));

export default defineRule({
  id: "removed-api",
  group: "host",
  severity: "information",
  priority: "correctness",
  guide: { document: "best-practices", section: "15.2" },
  alsoIn: [{ document: "best-practices", section: "9.2.5" }],
  tag: "deprecated",
  ofFile: true,
  summary: "A function, a member or a texture reference that CUDA 13 does not have any more.",
  why: "The program does not compile with a present CUDA toolkit, and so not for present GPUs.",
  remedy: "Use what stands for it, which older toolkits have as well.",
  fix: "safe",
  changes: "spelling",
  notes:
    "What CUDA 13.0 declares was asked of its compiler. What has no fix is one finding a file. Code that the preprocessor leaves out for it is left alone.",
  example: {
    bad: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *x) {
  fill<<<1, 32>>>(x);
  cudaThreadSynchronize();
}`,
    good: `__global__ void fill(float *x) { x[threadIdx.x] = 1.0f; }
void run(float *x) {
  fill<<<1, 32>>>(x);
  cudaDeviceSynchronize();
}`,
  },
  *check(context): Generator<Finding> {
    for (const same of groupBy([...uses(context)], ({ message }) => message).values()) {
      const [first, ...others] = same;
      if (!first || first.fix) yield* same;
      else yield { ...first, related: others.slice(0, 8).map(({ span }) => ({ at: span, message: "here, too" })) };
    }
  },
});

function* uses(context: RuleContext): Generator<Finding> {
  const { program, syntax } = context;
  for (const call of syntax.expressions("call", functionNames)) {
    const name = libraryName(call) ?? "";
    const [reference] = call.arguments;
    const isTexture = /^tex(1Dfetch|[123]D\w*)$/.test(name);
    const instead = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if ((!isTexture && instead === undefined) || program.semantics.resolve(call.callee).some(isOwn)) continue;
    if (isTexture && reference && isTextureReference(context, reference))
      yield {
        span: call,
        message: `Texture references are gone since CUDA 12: \`${name}\` needs a texture object, \`cudaTextureObject_t\`.`,
      };
    if (instead === undefined) continue;
    const other = instead.startsWith("=") ? instead.slice(1) : undefined;
    const edits = other === undefined ? undefined : all(replace(program.reading, call.callee, other));
    yield {
      span: call.callee,
      message: `CUDA 13 does not have \`${name}\`. Use ${other === undefined ? instead : `\`${other}\``}.`,
      fix: edits && { title: `Call \`${other}\``, safe: true, edits },
    };
  }
  for (const member of syntax.expressions("member", memberNames)) {
    const name = lastName(member.name);
    const attribute = Object.hasOwn(members, name) ? members[name] : undefined;
    if (attribute === undefined || !isDeviceProperties(context, member.base)) continue;
    yield {
      span: member.name,
      message: `\`cudaDeviceProp\` of CUDA 13 does not have \`${name}\`. Ask ${attribute.startsWith("cudaDevAttr") ? `\`cudaDeviceGetAttribute\` for \`${attribute}\`` : `\`${attribute}\``}.`,
    };
  }
}

function declaredName({ program: { semantics } }: RuleContext, node: Expression): string {
  const [declaration] = semantics.resolve(node);
  let type = declaration && "type" in declaration ? declaration.type : undefined;
  while (type?.kind === "pointer" || type?.kind === "reference" || type?.kind === "array") type = type.kind === "array" ? type.of : type.to;
  return type?.kind === "named" ? lastName(type.name) : "";
}

function isDeviceProperties(context: RuleContext, base: Expression): boolean {
  const inner = base.kind === "subscript" ? base.base : base;
  return declaredName(context, inner) === "cudaDeviceProp";
}

const isTextureReference = (context: RuleContext, node: Expression): boolean => declaredName(context, node) === "texture";
