package main

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type snapshot struct {
	content string
	told    *csi.Snapshot
}

// CreateSnapshot answers alike for a name that it has seen, but that the snapshot is ready by then.
func (d *driver) CreateSnapshot(_ context.Context, request *csi.CreateSnapshotRequest) (*csi.CreateSnapshotResponse, error) {
	id := "snap-" + request.Name
	if known := d.snapshots[id]; known != nil {
		known.told.ReadyToUse = true
		return &csi.CreateSnapshotResponse{Snapshot: known.told}, nil
	}
	from, err := d.find(request.SourceVolumeId)
	if err != nil {
		return nil, err
	}
	told := &csi.Snapshot{
		SnapshotId:     id,
		SourceVolumeId: from.id,
		SizeBytes:      from.bytes,
		CreationTime:   timestamppb.Now(),
		ReadyToUse:     request.Parameters["ready"] != "later",
	}
	d.snapshots[id] = &snapshot{content: from.content, told: told}
	return &csi.CreateSnapshotResponse{Snapshot: told}, nil
}

func (d *driver) DeleteSnapshot(_ context.Context, request *csi.DeleteSnapshotRequest) (*csi.DeleteSnapshotResponse, error) {
	delete(d.snapshots, request.SnapshotId)
	return &csi.DeleteSnapshotResponse{}, nil
}

func (d *driver) GetSnapshot(_ context.Context, request *csi.GetSnapshotRequest) (*csi.GetSnapshotResponse, error) {
	if known := d.snapshots[request.SnapshotId]; known != nil {
		return &csi.GetSnapshotResponse{Snapshot: known.told}, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no snapshot %s", request.SnapshotId)
}
