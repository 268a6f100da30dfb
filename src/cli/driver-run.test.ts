import { expect, test } from "vitest";
import { type DriverFlags, readRequest } from "./driver-run.ts";

const flags: DriverFlags = {
  socket: "unix:///run/csi.sock",
  dir: "/disks",
  topology: [],
  backing: "directory",
  with: [],
  without: [],
};

test("flags of a driver are parsed as numbers, sizes and topologies", () => {
  const read = readRequest({
    ...flags,
    topology: ["example.com/rack=a", "example.com/row=b=c"],
    maxVolumes: "3",
    capacity: "10Gi",
    maxVolumeSize: "1G",
    central: true,
  });
  expect(read).toMatchObject({
    topology: { "example.com/rack": "a", "example.com/row": "b=c" },
    maxVolumes: 3,
    capacity: 10n << 30n,
    maxVolumeSize: 10n ** 9n,
    central: true,
    links: false,
  });
  expect(readRequest(flags)).toMatchObject({
    topology: {},
    maxVolumes: undefined,
    capacity: undefined,
    central: false,
  });
});

test.each([
  [{ topology: ["rack"] }, "expected --topology to be KEY=VALUE, got rack"],
  [{ topology: ["=a"] }, "expected --topology to be KEY=VALUE, got =a"],
  [{ maxVolumes: "some" }, "expected --max-volumes to be a whole number from 0, got some"],
  [{ capacity: "lots" }, "expected --capacity to be a size such as 10Gi, got lots"],
  [{ maxVolumeSize: "-1Gi" }, "expected --max-volume-size to be a size such as 10Gi, got -1Gi"],
])("%j is refused as a usage error", (wrong, message) => {
  expect(() => readRequest({ ...flags, ...wrong })).toThrow(expect.objectContaining({ message, usage: true }));
});
