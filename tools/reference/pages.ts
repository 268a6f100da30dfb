/**
 * Every page that is made from the sources.
 *
 * @module
 */
import { commandsPage } from "./commands.ts";
import { configurationPage } from "./configuration.ts";
import { errorsPage } from "./errors.ts";
import { kindsPage } from "./kinds.ts";
import { libraryPages } from "./library.ts";
import { metricsPage } from "./metrics.ts";
import { perturbationsPage } from "./perturbations.ts";

/** The pages, by their path from the root of the project. */
export const referencePages = async (root: string): Promise<[path: string, text: string][]> => [
  configurationPage(),
  commandsPage(),
  kindsPage(),
  await metricsPage(),
  errorsPage(root),
  perturbationsPage(),
  ...libraryPages(root),
];
