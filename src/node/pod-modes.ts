/** What a node does with containers once their volumes stand: nothing, nothing but saying that they run, or run them. */
export const POD_MODES = ["hold", "run-nothing", "exec"] as const;

/** One of {@link POD_MODES}. */
export type PodMode = (typeof POD_MODES)[number];
