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

function* stepsOf(events: readonly DeviceEvents[], isRepeated = false): Generator<Step> {
  for (const event of events) {
    if (event.kind !== "repeat") yield { event, isRepeated };
    else
      for (let turn = 0; turn < (event.times === 1 ? 1 : turnsFollowed); turn++)
        yield* stepsOf(event.events, isRepeated || event.times !== 1);
  }
}

/** Of loops in each other it takes many turns to follow all: what comes behind so many steps is not looked at. */
const mostSteps = 8192;

/**
 * The asynchronous copies that are made again and again, or in a stream of the program's own, with something behind them before the host
 * waits for them: more for the device, or work of the host. None where the order is not known.
 */
export function overlappedCopies(program: DeviceProgram | undefined): ReadonlySet<Expression> {
  const found = new Set<Expression>();
  if (!program) return found;
  const steps: Step[] = [];
  for (const step of stepsOf(program.events)) {
    if (steps.length === mostSteps) break;
    steps.push(step);
  }
  const [once, again] = [new Set<Expression>(), new Set<Expression>()];
  for (const { event } of steps) (once.has(event.at) ? again : once).add(event.at);
  for (const [k, { event, isRepeated }] of steps.entries())
    if (
      event.kind === "copy" &&
      event.async &&
      !found.has(event.at) &&
      isOverlapped(program, event, isRepeated || again.has(event.at), steps, k + 1)
    )
      found.add(event.at);
  return found;
}

/** @param from the step behind it */
function isOverlapped({ independent }: DeviceProgram, copy: Copy, isRepeated: boolean, steps: readonly Step[], from: number): boolean {
  const own = copy.stream ?? defaultStream;
  /** Streams and events in order with the copy: what waits for one of them waits for it. */
  const behindCopy = { streams: new Set([own]), events: new Set<number>() };
  const isBeside = (stream: number): boolean => stream !== own && (independent.has(stream) || independent.has(own));
  for (let k = from; k < steps.length; k++) {
    const { event } = steps[k] as Step;
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
