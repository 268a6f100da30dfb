import type { Dialect } from "../../meta/dialect.ts";

/** The field of a cause about a whole object, as in Kubernetes. */
export const wholeObject = ({ rules }: Dialect): string => (rules.recordedCauseNames ? "[]" : "");
