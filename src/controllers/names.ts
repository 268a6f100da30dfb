/** What each built-in controller does, by the name that `--controllers` knows it by. */
export const CONTROLLERS = {
  "event-expiry": "Deletes Events some time after their last write.",
  namespace: "Deletes what is in a namespace that is deleted, and says what holds it.",
  "root-ca": "Keeps the certificate of the server in every namespace (kubernetes dialect).",
  serviceaccount: "Keeps the ServiceAccount default in every namespace (kubernetes dialect).",
} as const;
