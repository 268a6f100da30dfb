/**
 * Who can do something about the refusal of a storage driver: the code of its answer says whether the request has to change, there is
 * no room, or the driver does not answer.
 *
 * @module
 */

/** Whose request a driver has refused. */
export interface RefusedRequest {
  /** The objects that the request was made from, as `PersistentVolumeClaim default/a`. */
  readonly asks: string;
  readonly driver: string;
  /** Who can act where the answer has no code that tells. */
  readonly otherwise: string;
}

/** Codes of gRPC by who can act. The names stand in what sidecars tell, as `CreateVolume: OutOfRange: ...` and `code = OutOfRange desc`. */
const ACTORS_BY_CODE: readonly (readonly [codes: readonly string[], who: (refused: RefusedRequest) => string])[] = [
  [
    ["InvalidArgument", "OutOfRange", "NotFound", "AlreadyExists", "Unimplemented", "FailedPrecondition"],
    ({ asks, driver }) => `whoever changes ${asks} to what ${driver} accepts`,
  ],
  [["ResourceExhausted"], ({ asks, driver }) => `whoever gives ${driver} more capacity, or changes ${asks}`],
  [["PermissionDenied", "Unauthenticated"], ({ driver }) => `whoever gives ${driver} its credentials`],
  [["Unavailable", "DeadlineExceeded", "Canceled"], ({ driver }) => `whoever runs ${driver}, which does not answer`],
];

/** Who can act, by what a driver was told to say. */
export function whoCanRepair(message: string, refused: RefusedRequest): string {
  const found = ACTORS_BY_CODE.find(([codes]) =>
    codes.some((code) => message.includes(`: ${code}: `) || message.includes(`code = ${code} `)),
  );
  return found ? found[1](refused) : refused.otherwise;
}
