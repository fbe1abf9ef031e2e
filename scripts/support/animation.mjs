/** Frames of a recording as an animated picture. */
import gifenc from "gifenc";
import { PNG } from "pngjs";

const { applyPalette, GIFEncoder, quantize } = gifenc;

/** Milliseconds: a machine that is busy makes nobody wait for longer; what comes first and last can be read. */
const longest = 1200;
const [atStart, atEnd] = [1500, 4000];
/** Of 256 colours one says that a pixel is as it was. */
const colours = 255;

/**
 * A GIF of colours that all its frames share, of which each has the pixels alone that are others than before.
 * @param {readonly { readonly png: Buffer; readonly ms: number }[]} frames of one size
 * @returns {Uint8Array}
 */
export function animated(frames) {
  const pictures = frames.map(({ png }) => PNG.sync.read(png));
  const [{ width, height }] = pictures;
  // Colours of the first and the last frame: what comes between is made of the same.
  const both = new Uint8Array(2 * width * height * 4);
  both.set(pictures[0].data);
  both.set(pictures[pictures.length - 1].data, width * height * 4);
  const palette = quantize(both, colours);
  const gif = GIFEncoder();
  let before;
  for (const [index, { data }] of pictures.entries()) {
    const indices = applyPalette(data, palette);
    const shown = before ? indices.map((colour, pixel) => (colour === before[pixel] ? palette.length : colour)) : indices;
    const held = index === 0 ? atStart : index === pictures.length - 1 ? atEnd : Math.min(frames[index].ms, longest);
    gif.writeFrame(shown, width, height, {
      palette: [...palette, [0, 0, 0]],
      delay: held,
      ...(before ? { transparent: true, transparentIndex: palette.length, dispose: 1 } : { dispose: 1 }),
    });
    before = indices;
  }
  gif.finish();
  return gif.bytes();
}
