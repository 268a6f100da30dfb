import { type ApiError, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { JobError } from "../../util/worker-threads.ts";

/** The answer to a request of which a part was not done, through no fault of its own. */
export const notDone = ({ why, message }: JobError): ApiError =>
  why === "crowded" ? tooManyRequests(message) : unavailable(message);
