import type { Dialect } from "../../../../meta/dialect.ts";
import type { ApiObject } from "../../../../schema/definition.ts";

/** The annotation of a Pod that only shows one that a node runs by itself. */
export const mirrorKey = ({ labelDomain }: Dialect): string => `${labelDomain}/config.mirror`;

/** Whether a Pod only shows one that a node runs by itself. */
export const isMirror = ({ metadata }: ApiObject, dialect: Dialect): boolean =>
  metadata.annotations?.[mirrorKey(dialect)] !== undefined;
