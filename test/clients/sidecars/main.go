// A CSI driver whose disks are entries of a table. It does what the interface asks of a driver with a controller, and on
// demand it fails: while the file STATE/fail/METHOD is there, calls of the method answer with the gRPC code that it names.
// Every call is a line of JSON in STATE/calls.
//
// A disk has a content, which a clone has from its source; the driver tells it in the context of the volume. A snapshot has the
// content that its disk had; one with the parameter "ready" set to "later" is ready when it is asked for a second time.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	name     = "disks.example.com"
	nodeKey  = "topology.disks.example.com/node"
	capacity = 100 << 30
)

type disk struct {
	id, content string
	bytes       int64
	onNode      bool
	response    *csi.CreateVolumeResponse
}

type driver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedControllerServer
	csi.UnimplementedNodeServer

	state     string
	mutex     sync.Mutex
	disks     map[string]*disk
	snapshots map[string]*snapshot
}

// mostBytes is how far a disk can grow.
const mostBytes = 40 << 30

// note takes a call down and fails it where that is asked for.
func (d *driver) note(_ context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	method := info.FullMethod[strings.LastIndex(info.FullMethod, "/")+1:]
	if asked, ok := request.(*csi.ProbeRequest); ok {
		return handle(context.Background(), asked)
	}
	line, err := json.Marshal(map[string]any{"method": method, "request": request})
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	calls, err := os.OpenFile(filepath.Join(d.state, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	defer calls.Close()
	if _, err := calls.Write(append(line, '\n')); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	if text, err := os.ReadFile(filepath.Join(d.state, "fail", method)); err == nil {
		var code codes.Code
		if err := code.UnmarshalJSON([]byte(`"` + strings.TrimSpace(string(text)) + `"`)); err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		return nil, status.Errorf(code, "%s was told to fail", method)
	}
	return handle(context.Background(), request)
}

func (d *driver) GetPluginInfo(context.Context, *csi.GetPluginInfoRequest) (*csi.GetPluginInfoResponse, error) {
	return &csi.GetPluginInfoResponse{Name: name, VendorVersion: "1"}, nil
}

func (d *driver) Probe(context.Context, *csi.ProbeRequest) (*csi.ProbeResponse, error) {
	return &csi.ProbeResponse{Ready: wrapperspb.Bool(true)}, nil
}

func (d *driver) GetPluginCapabilities(context.Context, *csi.GetPluginCapabilitiesRequest) (*csi.GetPluginCapabilitiesResponse, error) {
	service := func(kind csi.PluginCapability_Service_Type) *csi.PluginCapability {
		return &csi.PluginCapability{Type: &csi.PluginCapability_Service_{Service: &csi.PluginCapability_Service{Type: kind}}}
	}
	online := &csi.PluginCapability_VolumeExpansion{Type: csi.PluginCapability_VolumeExpansion_ONLINE}
	return &csi.GetPluginCapabilitiesResponse{Capabilities: []*csi.PluginCapability{
		service(csi.PluginCapability_Service_CONTROLLER_SERVICE),
		service(csi.PluginCapability_Service_VOLUME_ACCESSIBILITY_CONSTRAINTS),
		{Type: &csi.PluginCapability_VolumeExpansion_{VolumeExpansion: online}},
	}}, nil
}

func (d *driver) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	var all []*csi.ControllerServiceCapability
	for _, kind := range []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_PUBLISH_UNPUBLISH_VOLUME,
		csi.ControllerServiceCapability_RPC_EXPAND_VOLUME,
		csi.ControllerServiceCapability_RPC_CLONE_VOLUME,
		csi.ControllerServiceCapability_RPC_GET_CAPACITY,
		csi.ControllerServiceCapability_RPC_MODIFY_VOLUME,
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_SNAPSHOT,
	} {
		rpc := &csi.ControllerServiceCapability_RPC{Type: kind}
		all = append(all, &csi.ControllerServiceCapability{Type: &csi.ControllerServiceCapability_Rpc{Rpc: rpc}})
	}
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: all}, nil
}

// CreateVolume answers alike for a name that it has seen. A disk is where the first of the preferred places is.
func (d *driver) CreateVolume(_ context.Context, request *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	id := "disk-" + request.Name
	if known := d.disks[id]; known != nil {
		return known.response, nil
	}
	made := &disk{id: id, content: "content of " + id, bytes: request.GetCapacityRange().GetRequiredBytes()}
	made.onNode = request.Parameters["growsOn"] != "controller"
	if source := request.GetVolumeContentSource().GetVolume(); source != nil {
		from := d.disks[source.VolumeId]
		if from == nil {
			return nil, status.Errorf(codes.NotFound, "there is no disk %s", source.VolumeId)
		}
		made.content = from.content
	}
	if source := request.GetVolumeContentSource().GetSnapshot(); source != nil {
		from := d.snapshots[source.SnapshotId]
		if from == nil {
			return nil, status.Errorf(codes.NotFound, "there is no snapshot %s", source.SnapshotId)
		}
		made.content = from.content
	}
	volume := &csi.Volume{
		VolumeId:      id,
		CapacityBytes: made.bytes,
		VolumeContext: map[string]string{"content": made.content},
		ContentSource: request.VolumeContentSource,
	}
	if preferred := request.GetAccessibilityRequirements().GetPreferred(); len(preferred) > 0 {
		volume.AccessibleTopology = preferred[:1]
	}
	made.response = &csi.CreateVolumeResponse{Volume: volume}
	d.disks[id] = made
	return made.response, nil
}

func (d *driver) DeleteVolume(_ context.Context, request *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	delete(d.disks, request.VolumeId)
	return &csi.DeleteVolumeResponse{}, nil
}

func (d *driver) find(id string) (*disk, error) {
	if found := d.disks[id]; found != nil {
		return found, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no disk %s", id)
}

func (d *driver) ControllerPublishVolume(_ context.Context, request *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	if _, err := d.find(request.VolumeId); err != nil {
		return nil, err
	}
	return &csi.ControllerPublishVolumeResponse{PublishContext: map[string]string{"device": "of " + request.VolumeId}}, nil
}

func (d *driver) ControllerUnpublishVolume(context.Context, *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

func (d *driver) ControllerExpandVolume(_ context.Context, request *csi.ControllerExpandVolumeRequest) (*csi.ControllerExpandVolumeResponse, error) {
	found, err := d.find(request.VolumeId)
	if err != nil {
		return nil, err
	}
	required := request.GetCapacityRange().GetRequiredBytes()
	if required > mostBytes {
		return nil, status.Errorf(codes.OutOfRange, "a disk has %d bytes at most, asked for were %d", int64(mostBytes), required)
	}
	found.bytes = max(found.bytes, required)
	return &csi.ControllerExpandVolumeResponse{CapacityBytes: found.bytes, NodeExpansionRequired: found.onNode}, nil
}

func (d *driver) ControllerModifyVolume(_ context.Context, request *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	if _, err := d.find(request.VolumeId); err != nil {
		return nil, err
	}
	return &csi.ControllerModifyVolumeResponse{}, nil
}

func (d *driver) GetCapacity(context.Context, *csi.GetCapacityRequest) (*csi.GetCapacityResponse, error) {
	return &csi.GetCapacityResponse{AvailableCapacity: capacity}, nil
}

func (d *driver) ValidateVolumeCapabilities(_ context.Context, request *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	confirmed := &csi.ValidateVolumeCapabilitiesResponse_Confirmed{VolumeCapabilities: request.VolumeCapabilities}
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: confirmed}, nil
}

func (d *driver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	place := &csi.Topology{Segments: map[string]string{nodeKey: "one"}}
	return &csi.NodeGetInfoResponse{NodeId: "one", AccessibleTopology: place}, nil
}

func (d *driver) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	rpc := &csi.NodeServiceCapability_RPC{Type: csi.NodeServiceCapability_RPC_EXPAND_VOLUME}
	grows := &csi.NodeServiceCapability{Type: &csi.NodeServiceCapability_Rpc{Rpc: rpc}}
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{grows}}, nil
}

func main() {
	socket := flag.String("socket", "", "the socket to listen on")
	state := flag.String("state", "", "the folder for calls, and for what is to fail")
	flag.Parse()
	listener, err := net.Listen("unix", *socket)
	if err != nil {
		log.Fatal(err)
	}
	served := &driver{state: *state, disks: map[string]*disk{}, snapshots: map[string]*snapshot{}}
	server := grpc.NewServer(grpc.UnaryInterceptor(served.note))
	csi.RegisterIdentityServer(server, served)
	csi.RegisterControllerServer(server, served)
	csi.RegisterNodeServer(server, served)
	fmt.Println("ready")
	log.Fatal(server.Serve(listener))
}
