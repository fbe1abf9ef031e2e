/**
 * The syntax tree the analysis works on: plain objects, made once from tree-sitter's tree (which is then only
 * kept for the next incremental parse), so that nothing outside this folder sees a parser node.
 *
 * It describes what was written, not what it means. Where that takes knowing what a name is: `(T)(y)` and `(T)-y` are casts
 * if the file or CUDA declares a type `T`, and else stay a call and a binary whose callee or left side is a parenthesised
 * name; `dim3 b(x, y);` in a function is a variable with `maybeFunction`; sema has the last word on both. `a < b && c > (d)`
 * is comparisons unless the file declares a template `a`. Nodes that cannot be understood become `unknown`, never an exception.
 *
 * A declaration at namespace scope that did not change from one version of a file to the next is the same object again.
 * What depends on the node alone may be remembered by it; what depends on other declarations may not.
 *
 * Spans are UTF-16 offsets in the *reading* (the text after preprocessing); `Reading.locate` leads back to the
 * user's files.
 */

export interface Node {
  readonly start: number;
  readonly end: number;
}

/** Why a node that could be understood is `unknown` all the same: it is nested too deeply, or what it is in took too long to convert. */
export type Limit = "depth" | "cost";

/** `a::b<T>::c`: the last part is the name itself. `global`: written with a leading `::`. The first part may be `decltype(e)`, then with `e`. */
export interface Name extends Node {
  readonly parts: readonly {
    readonly text: string;
    readonly templateArguments?: readonly TemplateArgument[];
    readonly decltype?: Expression;
  }[];
  readonly global: boolean;
}
/** A template argument may be a type or an expression; when only names can tell (`f<N>`), it is a type whose `expression` is also given. */
export type TemplateArgument =
  | (Node & { readonly kind: "type"; readonly type: TypeNode; readonly expression?: Expression; readonly pack?: boolean })
  | (Node & { readonly kind: "expression"; readonly expression: Expression; readonly pack?: boolean });

// ---------------------------------------------------------------- types

export type TypeNode = Node & { readonly const?: boolean; readonly volatile?: boolean } & (
    | { readonly kind: "named"; readonly name: Name; readonly typename?: boolean }
    /** `unsigned long long`, `float`, `size_t`, `bool`, `void` as written, words sorted by the converter into a canonical spelling. */
    | { readonly kind: "builtin"; readonly name: BuiltinTypeName }
    | { readonly kind: "pointer"; readonly to: TypeNode; readonly restrict?: boolean }
    | { readonly kind: "reference"; readonly to: TypeNode; readonly rvalue: boolean; readonly restrict?: boolean }
    | { readonly kind: "array"; readonly of: TypeNode; readonly size?: Expression }
    | { readonly kind: "function"; readonly result: TypeNode; readonly parameters: readonly ParameterDeclaration[] }
    | { readonly kind: "auto" }
    | { readonly kind: "decltype"; readonly expression: Expression }
    /** A struct, union or enum defined where a type stands. */
    | { readonly kind: "inline"; readonly declaration: RecordDeclaration | EnumDeclaration }
    | { readonly kind: "unknown"; readonly limit?: Limit }
  );

export type BuiltinTypeName =
  | "void"
  | "bool"
  | "char"
  | "signed char"
  | "unsigned char"
  | "wchar_t"
  | "char8_t"
  | "char16_t"
  | "char32_t"
  | "short"
  | "unsigned short"
  | "int"
  | "unsigned int"
  | "long"
  | "unsigned long"
  | "long long"
  | "unsigned long long"
  | "float"
  | "double"
  | "long double"
  | "__int128"
  | "unsigned __int128";

// ---------------------------------------------------------------- expressions

export type Expression = Node &
  (
    | { readonly kind: "name"; readonly name: Name }
    /** `suffix` in lower case ("", "u", "ul", "ull", "l", "ll"); `text` as written. */
    | { readonly kind: "integer"; readonly value: bigint; readonly suffix: string; readonly text: string }
    /** `suffix` "" (double), "f", "l" or another's; `text` as written. */
    | { readonly kind: "float"; readonly value: number; readonly suffix: string; readonly text: string }
    | { readonly kind: "char"; readonly value: number; readonly text: string }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "bool"; readonly value: boolean }
    | { readonly kind: "null" }
    | { readonly kind: "this" }
    /** `&`, `*`, `+`, `-`, `!`, `~`, and `++`, `--` in front. */
    | { readonly kind: "unary"; readonly op: string; readonly operand: Expression }
    | { readonly kind: "postfix"; readonly op: "++" | "--"; readonly operand: Expression }
    /** All binary operators but assignment, `,` among them; `<=>` too. */
    | { readonly kind: "binary"; readonly op: string; readonly left: Expression; readonly right: Expression }
    /** `op` without its `=`: "" for plain assignment. */
    | { readonly kind: "assign"; readonly op: string; readonly left: Expression; readonly right: Expression }
    | { readonly kind: "conditional"; readonly condition: Expression; readonly then: Expression; readonly else: Expression }
    | {
        readonly kind: "call";
        readonly callee: Expression;
        readonly arguments: readonly Expression[];
        readonly launch?: LaunchConfiguration;
      }
    | { readonly kind: "subscript"; readonly base: Expression; readonly indices: readonly Expression[] }
    | { readonly kind: "member"; readonly base: Expression; readonly arrow: boolean; readonly name: Name }
    /**
     * `style` "c" is `(T)x`; "functional" is `T(x, ...)` where T can only be a type (`float(x)`). `value`: what stands in the
     * parentheses, should names tell that it is no type: `(a[i]) - b`.
     */
    | {
        readonly kind: "cast";
        readonly style: "c" | "static" | "reinterpret" | "const" | "dynamic" | "functional";
        readonly type: TypeNode;
        readonly operands: readonly Expression[];
        readonly value?: Expression;
      }
    /** `{a, .b = c}`, or `T{...}` with `type`. */
    | {
        readonly kind: "list";
        readonly type?: TypeNode;
        readonly elements: readonly { readonly designator?: string; readonly value: Expression }[];
      }
    | {
        readonly kind: "sizeof";
        readonly align: boolean;
        readonly type?: TypeNode;
        readonly operand?: Expression;
        readonly packName?: string;
      }
    | {
        readonly kind: "new";
        readonly type: TypeNode;
        readonly count?: Expression;
        readonly arguments: readonly Expression[];
        /** `new (where) T`. */
        readonly placement?: readonly Expression[];
      }
    | { readonly kind: "delete"; readonly operand: Expression; readonly array: boolean }
    | {
        readonly kind: "lambda";
        readonly captures: readonly LambdaCapture[];
        readonly captureDefault?: "=" | "&";
        readonly templateParameters?: readonly TemplateParameter[];
        readonly parameters: readonly ParameterDeclaration[];
        readonly specifiers: Specifiers;
        readonly result?: TypeNode;
        readonly body: Statement;
      }
    | { readonly kind: "parenthesized"; readonly inner: Expression }
    /** `requires (T t) { t.f(); }`: its parameters, and as the statements of its body what has to be valid. */
    | { readonly kind: "requires"; readonly tested: Expression & { readonly kind: "lambda" } }
    | { readonly kind: "pack"; readonly pattern: Expression }
    | { readonly kind: "fold"; readonly op: string; readonly left?: Expression; readonly right?: Expression }
    | { readonly kind: "unknown"; readonly text: string; readonly limit?: Limit }
  );

export interface LaunchConfiguration extends Node {
  readonly grid?: Expression;
  readonly block?: Expression;
  readonly shared?: Expression;
  readonly stream?: Expression;
}

export interface LambdaCapture extends Node {
  readonly name: string;
  readonly byReference: boolean;
  readonly init?: Expression;
}

// ---------------------------------------------------------------- statements

export type Statement = Node &
  (
    | { readonly kind: "block"; readonly body: readonly Statement[] }
    | { readonly kind: "declaration"; readonly declarations: readonly Declaration[] }
    | { readonly kind: "expression"; readonly expression: Expression }
    | {
        readonly kind: "if";
        readonly constexpr: boolean;
        readonly init?: Statement;
        readonly condition: Condition;
        readonly then: Statement;
        readonly else?: Statement;
      }
    | {
        readonly kind: "for";
        readonly init?: Statement;
        readonly condition?: Condition;
        readonly step?: Expression;
        readonly body: Statement;
        readonly unroll?: Unroll;
      }
    | {
        readonly kind: "range-for";
        readonly variable: VariableDeclaration;
        readonly range: Expression;
        readonly body: Statement;
        readonly unroll?: Unroll;
      }
    | { readonly kind: "while"; readonly condition: Condition; readonly body: Statement; readonly unroll?: Unroll }
    | { readonly kind: "do"; readonly body: Statement; readonly condition: Expression; readonly unroll?: Unroll }
    | { readonly kind: "switch"; readonly init?: Statement; readonly condition: Condition; readonly body: Statement }
    /** `value` absent: `default:`. The labelled statements follow as siblings. `last` for GNU ranges. */
    | { readonly kind: "case"; readonly value?: Expression; readonly last?: Expression }
    | { readonly kind: "break" }
    | { readonly kind: "continue" }
    | { readonly kind: "return"; readonly value?: Expression }
    | { readonly kind: "goto"; readonly label: string }
    | { readonly kind: "label"; readonly name: string }
    | {
        readonly kind: "asm";
        readonly template: string;
        readonly volatile: boolean;
        readonly outputs: readonly AsmOperand[];
        readonly inputs: readonly AsmOperand[];
      }
    | { readonly kind: "throw"; readonly value?: Expression }
    | {
        readonly kind: "try";
        readonly body: Statement;
        readonly handlers: readonly Statement[];
        /** What each handler takes: one parameter, or nothing where that is anything (`...`). */
        readonly caught: readonly (readonly ParameterDeclaration[])[];
      }
    | { readonly kind: "empty" }
    | { readonly kind: "unknown"; readonly text: string; readonly limit?: Limit }
  );

export type Condition = Expression | VariableDeclaration;

/** `#pragma unroll`: "full" without a count; the count is an expression of constants. */
export type Unroll = "full" | Expression;

export interface AsmOperand extends Node {
  readonly constraint: string;
  readonly value: Expression;
}

// ---------------------------------------------------------------- declarations

export interface Specifiers {
  readonly global?: boolean;
  readonly device?: boolean;
  readonly host?: boolean;
  readonly shared?: boolean;
  readonly constant?: boolean;
  readonly managed?: boolean;
  readonly static?: boolean;
  readonly extern?: boolean;
  readonly inline?: boolean;
  readonly noinline?: boolean;
  readonly constexpr?: boolean;
  readonly volatile?: boolean;
  readonly typedef?: boolean;
  readonly virtual?: boolean;
  readonly friend?: boolean;
  readonly gridConstant?: boolean;
  readonly explicit?: boolean;
  /** `__align__(n)`, `alignas(n)`. */
  readonly align?: Expression;
  readonly launchBounds?: readonly Expression[];
  readonly maxRegisters?: Expression;
  readonly clusterDims?: readonly Expression[];
}

export interface ParameterDeclaration extends Node {
  readonly name?: string;
  readonly nameSpan?: Node;
  readonly type: TypeNode;
  readonly default?: Expression;
  readonly pack?: boolean;
  readonly specifiers: Specifiers;
}

export interface VariableDeclaration extends Node {
  readonly kind: "variable";
  readonly name: Name;
  readonly type: TypeNode;
  readonly specifiers: Specifiers;
  /** `= e`: `style` "copy"; `{...}`: "list"; `(a, b)`: "direct". A `dim3 b(x, y)` that parsed as a function comes here as "direct". */
  readonly init?: { readonly style: "copy" | "list" | "direct"; readonly values: readonly Expression[] };
  readonly bitWidth?: Expression;
  /** Structured binding names. */
  readonly bindings?: readonly string[];
  readonly templateParameters?: readonly TemplateParameter[];
  /** The text from the declared type to the end could also declare a function: sema decides by whether the parenthesised names are types. */
  readonly maybeFunction?: FunctionDeclaration;
}

export interface FunctionDeclaration extends Node {
  readonly kind: "function";
  readonly name: Name;
  readonly nameSpan: Node;
  readonly result: TypeNode;
  readonly parameters: readonly ParameterDeclaration[];
  readonly variadic: boolean;
  readonly specifiers: Specifiers;
  readonly templateParameters?: readonly TemplateParameter[];
  /** `template <class T> requires C<T>`. */
  readonly constraint?: Expression;
  /** An explicit specialisation `template <> void f<int>(...)`; its arguments stand in `name`. */
  readonly specialisation?: boolean;
  readonly const?: boolean;
  readonly role?: "constructor" | "destructor" | "conversion" | "operator";
  readonly initialisers?: readonly MemberInitialiser[];
  readonly body?: Statement & { readonly kind: "block" };
  readonly deleted?: boolean;
  readonly defaulted?: boolean;
}

/** `: x(a, b)` of a constructor. `braced`: `x{a, b}`. */
export interface MemberInitialiser {
  readonly name: Name;
  readonly values: readonly Expression[];
  readonly braced?: true;
}

export type TemplateParameter = Node &
  (
    | { readonly kind: "type"; readonly name?: string; readonly default?: TypeNode; readonly pack: boolean }
    | { readonly kind: "value"; readonly name?: string; readonly type: TypeNode; readonly default?: Expression; readonly pack: boolean }
    | { readonly kind: "template"; readonly name?: string; readonly pack: boolean }
  );

export interface RecordDeclaration extends Node {
  readonly kind: "record";
  readonly tag: "struct" | "class" | "union";
  /** Absent when anonymous. Template arguments in it: a (partial) specialisation. */
  readonly name?: Name;
  readonly bases: readonly { readonly type: TypeNode }[];
  /** `template <class T> requires C<T>`. */
  readonly constraint?: Expression;
  /** Absent for a forward declaration. */
  readonly members?: readonly Declaration[];
  readonly specifiers: Specifiers;
  readonly templateParameters?: readonly TemplateParameter[];
}

export interface EnumDeclaration extends Node {
  readonly kind: "enum";
  readonly scoped: boolean;
  readonly name?: Name;
  readonly underlying?: TypeNode;
  readonly enumerators: readonly { readonly name: string; readonly value?: Expression; readonly start: number; readonly end: number }[];
}

export type Declaration =
  | VariableDeclaration
  | FunctionDeclaration
  | RecordDeclaration
  | EnumDeclaration
  | (Node & {
      readonly kind: "alias";
      readonly name: string;
      readonly type: TypeNode;
      readonly templateParameters?: readonly TemplateParameter[];
    })
  | (Node & { readonly kind: "namespace"; readonly name?: string; readonly inline: boolean; readonly body: readonly Declaration[] })
  | (Node & { readonly kind: "linkage"; readonly body: readonly Declaration[] })
  /** `namespace`: what is in it is named without it, of `using namespace a;` and `using enum E;`. */
  | (Node & { readonly kind: "using"; readonly name: Name; readonly namespace: boolean })
  | (Node & { readonly kind: "namespace-alias"; readonly name: string; readonly target: Name })
  | (Node & { readonly kind: "instantiation"; readonly declaration: Declaration })
  | (Node & { readonly kind: "static-assert" })
  /** A statement where only declarations may stand (an unknown macro's call, say). */
  | (Node & { readonly kind: "statement"; readonly statement: Statement })
  | (Node & { readonly kind: "unknown"; readonly text: string; readonly limit?: Limit });

export interface TranslationUnit {
  readonly declarations: readonly Declaration[];
  /** Where the parser gave up and resumed: offsets of the preprocessor's text, as one may reach over several declarations. */
  readonly errors: readonly Node[];
}
