import { type ApiError, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { JobError } from "../../util/worker-threads.ts";

/** The error of a request whose job in a worker thread was not done. */
export const jobFailure = ({ why, message }: JobError): ApiError =>
  why === "crowded" ? tooManyRequests(message) : unavailable(message);
