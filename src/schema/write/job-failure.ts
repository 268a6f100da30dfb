import { type ApiError, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { NotDone } from "../../util/beside.ts";

/** The error of a request whose job in a worker thread was not done. */
export const jobFailure = ({ why, message }: NotDone): ApiError =>
  why === "crowded" ? tooManyRequests(message) : unavailable(message);
