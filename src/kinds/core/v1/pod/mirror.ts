import type { Dialect } from "../../../../meta/dialect.ts";
import type { ApiObject } from "../../../../schema/definition.ts";

/** The annotation of a mirror Pod, which shows a static Pod of a node. */
export const mirrorKey = ({ labelDomain }: Dialect): string => `${labelDomain}/config.mirror`;

/** Whether a Pod is a mirror Pod. */
export const isMirror = ({ metadata }: ApiObject, dialect: Dialect): boolean =>
  metadata.annotations?.[mirrorKey(dialect)] !== undefined;
