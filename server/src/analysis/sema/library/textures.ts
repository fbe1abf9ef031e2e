/** Texture and surface functions, of objects and of the references of CUDA 11 and before. */
import type { Recipe } from "./recipe.ts";

type Entry = readonly [recipe: Recipe, ...signatures: string[]];
type Fetch = Omit<Recipe & { readonly kind: "texture" }, "kind">;

/** The names of a texture function with its coordinates' types; what follows them (a level, gradients) does not move the texel much. */
const textures: readonly (readonly [fetch: Fetch, coordinates: string, names: readonly (readonly [name: string, more: string])[]])[] = [
  [{ fetch: "fetch", shape: "1d", layered: false }, "int", [["tex1Dfetch", ""]]],
  [{ fetch: "sample", shape: "1d", layered: false }, "float", withLevels("tex1D", "float, float")],
  [{ fetch: "sample", shape: "2d", layered: false }, "float, float", withLevels("tex2D", "float2, float2")],
  [{ fetch: "gather", shape: "2d", layered: false }, "float, float", [["tex2Dgather", ", int = 0"]]],
  [{ fetch: "sample", shape: "3d", layered: false }, "float, float, float", withLevels("tex3D", "float4, float4")],
  [{ fetch: "sample", shape: "1d", layered: true }, "float, int", withLevels("tex1DLayered", "float, float")],
  [{ fetch: "sample", shape: "2d", layered: true }, "float, float, int", withLevels("tex2DLayered", "float2, float2")],
  [{ fetch: "sample", shape: "cube", layered: false }, "float, float, float", withLevels("texCubemap", "float4, float4")],
  [{ fetch: "sample", shape: "cube", layered: true }, "float, float, float, int", withLevels("texCubemapLayered", "float4, float4")],
];

function withLevels(name: string, gradients: string): readonly (readonly [name: string, more: string])[] {
  return [
    [name, ""],
    [`${name}Lod`, ", float"],
    [`${name}Grad`, `, ${gradients}`],
  ];
}

const surfaces: readonly (readonly [shape: Fetch["shape"], layered: boolean, name: string, coordinates: string])[] = [
  ["1d", false, "surf1D", "int"],
  ["2d", false, "surf2D", "int, int"],
  ["3d", false, "surf3D", "int, int, int"],
  ["1d", true, "surf1DLayered", "int, int"],
  ["2d", true, "surf2DLayered", "int, int, int"],
  ["2d", true, "surfCubemap", "int, int, int"],
  ["2d", true, "surfCubemapLayered", "int, int, int"],
];

/** `texture<uchar4, 2, cudaReadModeNormalizedFloat>` gives floats. */
const normalized = ["char", "unsigned char", "short", "unsigned short"].flatMap((scalar) => {
  const short = scalar.replace("unsigned ", "u");
  return [[scalar, "float"], ...[1, 2, 4].map((n) => [`${short}${n}`, `float${n}`])] as [string, string][];
});

export const textureFunctions: readonly Entry[] = [
  ...textures.flatMap(([fetch, coordinates, names]) =>
    names.map(
      ([name, more]): Entry => [
        { kind: "texture", ...fetch },
        `<T> T ${name}(cudaTextureObject_t, ${coordinates}${more})`,
        `<T> void ${name}(T*, cudaTextureObject_t, ${coordinates}${more})`,
        `<T, int D> T ${name}(texture<T, D, 0>, ${coordinates}${more})`,
        ...normalized.map(([texel, result]) => `<int D> ${result} ${name}(texture<${texel}, D, 1>, ${coordinates}${more})`),
      ],
    ),
  ),
  ...surfaces.flatMap(([shape, layered, name, coordinates]): Entry[] => {
    const recipe = { fetch: "surface", shape, layered } as const;
    return [
      [
        { kind: "texture", ...recipe },
        `<T> T ${name}read(cudaSurfaceObject_t, ${coordinates}, int = 0)`,
        `<T> void ${name}read(T*, cudaSurfaceObject_t, ${coordinates}, int = 0)`,
        `<T, V, int D> T ${name}read(surface<V, D>, ${coordinates}, int = 0)`,
      ],
      [
        { kind: "surface write", shape, layered },
        `<T> void ${name}write(T, cudaSurfaceObject_t, ${coordinates}, int = 0)`,
        `<T, V, int D> void ${name}write(T, surface<V, D>, ${coordinates}, int = 0)`,
      ],
    ];
  }),
];
