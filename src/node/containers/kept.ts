/** What stays of a Pod that has ended until it is gone from the API: the directory of its logs, in that of the Pod. */
export const LOGS = "logs";
