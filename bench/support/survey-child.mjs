/** Surveys the files its parent names, one after another; each launch is told as it is done. `node survey-child.mjs BUNDLE` */
import { pathToFileURL } from "node:url";

const { findGpu, loadGrammarFromDisk, surveyFile } = await import(pathToFileURL(process.argv[2]).href);
await loadGrammarFromDisk();
process.on("message", ({ path, includeDirs, launchMs }) => {
  try {
    const survey = surveyFile(path, { gpu: findGpu("h200"), includeDirs, launchMs }, (launch) => process.send({ launch }));
    process.send({ survey });
  } catch (error) {
    process.send({ fault: error instanceof Error ? error.stack : String(error) });
  }
});
process.send({ ready: true });
