import type { Dialect } from "../../meta/dialect.ts";

/** The field of a cause that is about an object as a whole: none, for which Kubernetes has a name. */
export const wholeObject = ({ rules }: Dialect): string => (rules.recordedCauseNames ? "[]" : "");
