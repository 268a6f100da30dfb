/** What a node does with containers whose volumes are set up: nothing, report them as running, or run them. */
export const POD_MODES = ["hold", "run-nothing", "exec"] as const;

/** One of {@link POD_MODES}. */
export type PodMode = (typeof POD_MODES)[number];
