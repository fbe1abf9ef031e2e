/** Which copies something goes on beside, by what the program asks of the device and in which order. */
import type { DeviceEvent, DeviceEvents, DeviceProgram } from "../../analysis/device-events.ts";
import type { Expression } from "../../syntax/ast.ts";

type Copy = DeviceEvent & { readonly kind: "copy" };

/** A loop's turn, and the next: what stands behind a copy may stand before it in the loop. */
const turnsFollowed = 2;

interface Step {
  readonly event: DeviceEvent;
  /** It is made again and again. */
  readonly isRepeated: boolean;
}

function stepsOf(events: readonly DeviceEvents[], isRepeated = false): Step[] {
  return events.flatMap((event) => {
    if (event.kind !== "repeat") return [{ event, isRepeated }];
    const isLoop = event.times !== 1;
    const turn = stepsOf(event.events, isRepeated || isLoop);
    return Array.from({ length: isLoop ? turnsFollowed : 1 }, () => turn).flat();
  });
}

/**
 * The asynchronous copies that are made again and again, or in a stream of the program's own, with something behind them before the host
 * waits for them: more for the device, or work of the host. None where the order is not known.
 */
export function overlappedCopies(program: DeviceProgram | undefined): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  if (!program) return found;
  const steps = stepsOf(program.events);
  const [once, again] = [new Set<Expression>(), new Set<Expression>()];
  for (const { event } of steps) (once.has(event.at) ? again : once).add(event.at);
  for (const [k, { event, isRepeated }] of steps.entries())
    if (
      event.kind === "copy" &&
      event.async &&
      !found.has(event.at) &&
      isOverlapped(program, event, isRepeated || again.has(event.at), steps.slice(k + 1))
    )
      found.add(event.at);
  return found;
}

function isOverlapped({ independent }: DeviceProgram, copy: Copy, isRepeated: boolean, behind: readonly Step[]): boolean {
  const own = copy.stream ?? defaultStream;
  /** Streams and events in order with the copy: what waits for one of them waits for it. */
  const behindCopy = { streams: new Set([own]), events: new Set<number>() };
  const isBeside = (stream: number): boolean => stream !== own && (independent.has(stream) || independent.has(own));
  for (const { event } of behind) {
    const stream = ("stream" in event ? event.stream : undefined) ?? defaultStream;
    // Whether it is asked for nobody knows: nor whether what stands behind it is beside the copy.
    if (event.uncertain) return false;
    switch (event.kind) {
      case "wait": {
        const isForCopy =
          event.event !== undefined
            ? behindCopy.events.has(event.event)
            : event.stream === undefined ||
              behindCopy.streams.has(event.stream) ||
              (event.stream === defaultStream && !independent.has(own));
        if (event.afterWork) return true;
        if (isForCopy) return false;
        break;
      }
      case "record":
        if (behindCopy.streams.has(stream)) behindCopy.events.add(event.event);
        break;
      case "join":
        if (behindCopy.events.has(event.event)) behindCopy.streams.add(stream);
        break;
      case "copy":
        // The host waits for it, and with it for what stands before it.
        if (!event.async && !isBeside(stream)) return false;
        if (own !== defaultStream || isRepeated || isBeside(stream)) return true;
        break;
      default:
        if (own !== defaultStream || isRepeated || isBeside(stream)) return true;
    }
  }
  return false;
}

const defaultStream = 0;
