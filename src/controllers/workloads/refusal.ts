/** The message of a refused request. */
import { StatusError } from "../../client/index.ts";
import { messageOf } from "../../util/error.ts";

/** The cause of a refusal in a namespace that is being deleted. */
const ENDING = "NamespaceTerminating";

/** Returns the message of the server alone, as Events and conditions show it, without the request. */
export const refusalText = (error: unknown): string =>
  (error instanceof StatusError ? error.status.message : undefined) ?? messageOf(error);

/** Whether a request was refused because its namespace is being deleted: others will be refused, too. */
export const isEnding = (error: StatusError): boolean =>
  error.status.details?.causes?.some(({ reason }) => reason === ENDING) === true;
