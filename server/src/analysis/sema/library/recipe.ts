/** What a built-in function does, for lowering: data, so that the tables read as tables. */
import type {
  AtomicOperation,
  AtomicScope,
  CacheHint,
  FloatBinary,
  ImageShape,
  IntBinary,
  MathFunction,
  Precision,
  ShuffleMode,
  SpecialRegister,
} from "@warplens/sim-engine";

/** What is said of a load or a store: how it goes through the caches, or among whom it is atomic. */
export type AccessRecipe = { readonly cache: CacheHint } | { readonly atomic: AtomicScope };

export type Recipe =
  /** The engine's function on the operands, all of the signature's types; without a precision as the compiler is told. */
  | { readonly kind: "math"; readonly fn: MathFunction; readonly precision?: Precision }
  /** A test of a floating value: i1, then the signature's result. */
  | { readonly kind: "classify"; readonly fn: MathFunction }
  | { readonly kind: "float"; readonly op: FloatBinary; readonly precision?: Precision }
  | { readonly kind: "int"; readonly op: IntBinary }
  /** The lesser or greater of two, by the operands' type. */
  | { readonly kind: "extreme"; readonly which: "min" | "max" }
  | { readonly kind: "absolute" }
  | { readonly kind: "negate" }
  | { readonly kind: "fma" }
  /** A built-in binary operator on the operands; `negated`: of a comparison, that it does not hold. */
  | { readonly kind: "operator"; readonly op: string; readonly negated?: true }
  /** Zero for what is less. */
  | { readonly kind: "relu" }
  /** A recipe of one operand on what another makes, of the signature's result type. */
  | { readonly kind: "then"; readonly first: Recipe; readonly next: Recipe }
  /** To the signature's result, with a rounding other than C's where given. */
  | { readonly kind: "convert"; readonly rounding?: "n" | "z" | "d" | "u" }
  | { readonly kind: "bitcast" }
  /** `make_float4` and other makers of records from their components. */
  | { readonly kind: "make" }
  /** One value for every component. */
  | { readonly kind: "splat" }
  /** The recipe on each component of the records among the operands; `assigned`: what it makes goes where the first operand stands. */
  | { readonly kind: "componentwise"; readonly recipe: Recipe; readonly assigned?: true }
  | { readonly kind: "shuffle"; readonly mode: ShuffleMode; readonly sync: boolean }
  | { readonly kind: "vote"; readonly mode: "any" | "all" | "uni" | "ballot"; readonly sync: boolean }
  | { readonly kind: "match"; readonly mode: "any" | "all" }
  | { readonly kind: "reduce"; readonly op: "add" | "and" | "or" | "xor" | "min" | "max" }
  | { readonly kind: "barrier"; readonly reduce?: "count" | "and" | "or" }
  | { readonly kind: "syncwarp" }
  | { readonly kind: "fence"; readonly scope: "block" | "device" | "system" }
  | { readonly kind: "atomic"; readonly op: AtomicOperation | "min" | "max"; readonly scope: AtomicScope }
  | ({ readonly kind: "load" } & AccessRecipe)
  | ({ readonly kind: "store" } & AccessRecipe)
  | { readonly kind: "special"; readonly register: SpecialRegister }
  | { readonly kind: "constant"; readonly value: number }
  /** (shared destination, global source, bytes[, zero fill]). */
  | { readonly kind: "copy.async" }
  | { readonly kind: "copy.commit" }
  | { readonly kind: "copy.wait" }
  /** ([where the texel goes,] object, coordinates...); what follows them is not looked at. */
  | {
      readonly kind: "texture";
      readonly fetch: "sample" | "gather" | "fetch" | "surface";
      readonly shape: ImageShape;
      readonly layered: boolean;
    }
  /** (texel, object, coordinates...) */
  | { readonly kind: "surface write"; readonly shape: ImageShape; readonly layered: boolean }
  /** Arguments are evaluated for their effects, and that is all; `time`: what it takes, where it is no small matter. */
  | { readonly kind: "ignore"; readonly time?: string }
  /** A function of the device's runtime, given its arguments as C passes them where none is declared; of `printf`, what follows the text. */
  | { readonly kind: "call"; readonly callee: "printf" | "free" }
  | { readonly kind: "trap" }
  /** Code of its own, by name, in lower/builtins. */
  | { readonly kind: "special form"; readonly name: string }
  | { readonly kind: "unsupported"; readonly reason: string };
