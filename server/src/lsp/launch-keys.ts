import { templateText } from "./figures.ts";
import type { ViewLaunch } from "./view.ts";

/** What tells launches apart while a text is edited: a launch is the same one while it is the nth of its kernel and template arguments. */
export function launchKeys(launches: readonly ViewLaunch[]): Map<ViewLaunch, string> {
  const counts = new Map<string, number>();
  return new Map(
    launches.map((launch) => {
      const name = `${launch.kernelName}${templateText(launch.templateArguments)}`;
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      return [launch, `${name} ${nth}`];
    }),
  );
}
