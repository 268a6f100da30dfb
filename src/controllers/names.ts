/** What each built-in controller does, by the name that `--controllers` knows it by. */
export const CONTROLLERS = {
  "event-expiry": "Deletes Events some time after their last write.",
  namespace: "Deletes what is in a namespace that is deleted, and says what holds it.",
  "root-ca": "Keeps the certificate of the server in every namespace (kubernetes dialect).",
  serviceaccount: "Keeps the ServiceAccount default in every namespace (kubernetes dialect).",
  "garbage-collector": "Deletes what belongs to nobody any more, and lets owners go as they were asked to.",
  "persistentvolume-binder": "Brings claims and volumes together, and does with released volumes what they say.",
  "pv-protection": "Keeps volumes that are bound.",
  "pvc-protection": "Keeps claims that Pods use.",
  "vac-protection": "Keeps attributes classes that claims or volumes name.",
} as const;
