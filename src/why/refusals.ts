/**
 * Who can act on an error of a storage driver, by its gRPC code: the user, who adds capacity, or who runs the driver.
 */

/** A refused request. */
export interface RefusedRequest {
  /** The objects of the request, as `PersistentVolumeClaim default/a`. */
  readonly asks: string;
  readonly driver: string;
  /** Who can act without a known code. */
  readonly otherwise: string;
}

/** Who can act by gRPC code, as sidecars report it: `CreateVolume: OutOfRange: ...` and `code = OutOfRange desc`. */
const ACTORS_BY_CODE: readonly (readonly [codes: readonly string[], who: (refused: RefusedRequest) => string])[] = [
  [
    ["InvalidArgument", "OutOfRange", "NotFound", "AlreadyExists", "Unimplemented", "FailedPrecondition"],
    ({ asks, driver }) => `a user who changes ${asks} to what ${driver} accepts`,
  ],
  [
    ["ResourceExhausted"],
    ({ asks, driver }) => `an administrator who gives ${driver} more capacity, or a user who changes ${asks}`,
  ],
  [["PermissionDenied", "Unauthenticated"], ({ driver }) => `an administrator who gives ${driver} its credentials`],
  [
    ["Unavailable", "DeadlineExceeded", "Canceled"],
    ({ driver }) => `the operator of ${driver}, which does not respond`,
  ],
];

/** Returns who can act on the message of a driver. */
export function whoCanRepair(message: string, refused: RefusedRequest): string {
  const found = ACTORS_BY_CODE.find(([codes]) =>
    codes.some((code) => message.includes(`: ${code}: `) || message.includes(`code = ${code} `)),
  );
  return found ? found[1](refused) : refused.otherwise;
}
