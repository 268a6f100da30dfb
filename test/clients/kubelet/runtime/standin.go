package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type sandbox struct {
	id      string
	config  *runtime.PodSandboxConfig
	created int64
	state   runtime.PodSandboxState
}

type container struct {
	id, sandbox                string
	config                     *runtime.ContainerConfig
	created, started, finished int64
	state                      runtime.ContainerState
	exitCode                   int32
}

type standIn struct {
	runtime.UnimplementedRuntimeServiceServer

	state      string
	count      int
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

func newStandIn(state string) *standIn {
	return &standIn{state: state, sandboxes: map[string]*sandbox{}, containers: map[string]*container{}}
}

func (s *standIn) next(kind string) string {
	s.count++
	return fmt.Sprintf("%s-%d", kind, s.count)
}

func now() int64 { return time.Now().UnixNano() }

func (s *standIn) Version(context.Context, *runtime.VersionRequest) (*runtime.VersionResponse, error) {
	return &runtime.VersionResponse{Version: "0.1.0", RuntimeName: "stand-in", RuntimeVersion: "1.0.0", RuntimeApiVersion: "v1"}, nil
}

func (s *standIn) Status(context.Context, *runtime.StatusRequest) (*runtime.StatusResponse, error) {
	conditions := []*runtime.RuntimeCondition{
		{Type: runtime.RuntimeReady, Status: true},
		{Type: runtime.NetworkReady, Status: true},
	}
	return &runtime.StatusResponse{Status: &runtime.RuntimeStatus{Conditions: conditions}}, nil
}

func (s *standIn) RuntimeConfig(context.Context, *runtime.RuntimeConfigRequest) (*runtime.RuntimeConfigResponse, error) {
	return &runtime.RuntimeConfigResponse{Linux: &runtime.LinuxRuntimeConfiguration{CgroupDriver: runtime.CgroupDriver_CGROUPFS}}, nil
}

func (s *standIn) UpdateRuntimeConfig(context.Context, *runtime.UpdateRuntimeConfigRequest) (*runtime.UpdateRuntimeConfigResponse, error) {
	return &runtime.UpdateRuntimeConfigResponse{}, nil
}

func (s *standIn) RunPodSandbox(_ context.Context, request *runtime.RunPodSandboxRequest) (*runtime.RunPodSandboxResponse, error) {
	made := &sandbox{id: s.next("sandbox"), config: request.Config, created: now(), state: runtime.PodSandboxState_SANDBOX_READY}
	s.sandboxes[made.id] = made
	return &runtime.RunPodSandboxResponse{PodSandboxId: made.id}, nil
}

func (s *standIn) StopPodSandbox(_ context.Context, request *runtime.StopPodSandboxRequest) (*runtime.StopPodSandboxResponse, error) {
	if known := s.sandboxes[request.PodSandboxId]; known != nil {
		known.state = runtime.PodSandboxState_SANDBOX_NOTREADY
	}
	for _, one := range s.containers {
		if one.sandbox == request.PodSandboxId {
			one.end(137)
		}
	}
	return &runtime.StopPodSandboxResponse{}, nil
}

func (s *standIn) RemovePodSandbox(_ context.Context, request *runtime.RemovePodSandboxRequest) (*runtime.RemovePodSandboxResponse, error) {
	delete(s.sandboxes, request.PodSandboxId)
	for id, one := range s.containers {
		if one.sandbox == request.PodSandboxId {
			delete(s.containers, id)
		}
	}
	return &runtime.RemovePodSandboxResponse{}, nil
}

func (s *standIn) PodSandboxStatus(_ context.Context, request *runtime.PodSandboxStatusRequest) (*runtime.PodSandboxStatusResponse, error) {
	known := s.sandboxes[request.PodSandboxId]
	if known == nil {
		return nil, status.Errorf(codes.NotFound, "there is no sandbox %s", request.PodSandboxId)
	}
	return &runtime.PodSandboxStatusResponse{Status: &runtime.PodSandboxStatus{
		Id: known.id, Metadata: known.config.Metadata, State: known.state, CreatedAt: known.created,
		Labels: known.config.Labels, Annotations: known.config.Annotations,
		Network: &runtime.PodSandboxNetworkStatus{Ip: "127.0.0.1"},
		Linux:   &runtime.LinuxPodSandboxStatus{Namespaces: &runtime.Namespace{Options: &runtime.NamespaceOption{}}},
	}}, nil
}

func (s *standIn) ListPodSandbox(_ context.Context, request *runtime.ListPodSandboxRequest) (*runtime.ListPodSandboxResponse, error) {
	all := &runtime.ListPodSandboxResponse{}
	filter := request.GetFilter()
	for _, one := range s.sandboxes {
		isWanted := (filter.GetId() == "" || filter.Id == one.id) && (filter.GetState() == nil || filter.State.State == one.state)
		if isWanted && has(one.config.Labels, filter.GetLabelSelector()) {
			all.Items = append(all.Items, &runtime.PodSandbox{
				Id: one.id, Metadata: one.config.Metadata, State: one.state, CreatedAt: one.created,
				Labels: one.config.Labels, Annotations: one.config.Annotations,
			})
		}
	}
	return all, nil
}

func (s *standIn) CreateContainer(_ context.Context, request *runtime.CreateContainerRequest) (*runtime.CreateContainerResponse, error) {
	if s.sandboxes[request.PodSandboxId] == nil {
		return nil, status.Errorf(codes.NotFound, "there is no sandbox %s", request.PodSandboxId)
	}
	made := &container{id: s.next("container"), sandbox: request.PodSandboxId, config: request.Config, created: now()}
	s.containers[made.id] = made
	return &runtime.CreateContainerResponse{ContainerId: made.id}, nil
}

func (s *standIn) find(id string) (*container, error) {
	if known := s.containers[id]; known != nil {
		return known, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no container %s", id)
}

// end ends a container that runs.
func (c *container) end(code int32) {
	if c.state == runtime.ContainerState_CONTAINER_RUNNING {
		c.state, c.finished, c.exitCode = runtime.ContainerState_CONTAINER_EXITED, now(), code
	}
}

// reason is what runtimes tell of an exit.
func (c *container) reason() string {
	switch {
	case c.state != runtime.ContainerState_CONTAINER_EXITED:
		return ""
	case c.exitCode == 0:
		return "Completed"
	default:
		return "Error"
	}
}

func (s *standIn) StartContainer(_ context.Context, request *runtime.StartContainerRequest) (*runtime.StartContainerResponse, error) {
	known, err := s.find(request.ContainerId)
	if err != nil {
		return nil, err
	}
	known.state, known.started = runtime.ContainerState_CONTAINER_RUNNING, now()
	if text, err := os.ReadFile(filepath.Join(s.state, "exit", known.config.Metadata.Name)); err == nil {
		code, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 32)
		if err != nil {
			return nil, status.Error(codes.Internal, err.Error())
		}
		known.end(int32(code))
	}
	return &runtime.StartContainerResponse{}, nil
}

func (s *standIn) StopContainer(_ context.Context, request *runtime.StopContainerRequest) (*runtime.StopContainerResponse, error) {
	if known := s.containers[request.ContainerId]; known != nil {
		known.end(0)
	}
	return &runtime.StopContainerResponse{}, nil
}

func (s *standIn) RemoveContainer(_ context.Context, request *runtime.RemoveContainerRequest) (*runtime.RemoveContainerResponse, error) {
	delete(s.containers, request.ContainerId)
	return &runtime.RemoveContainerResponse{}, nil
}

func (s *standIn) ListContainers(_ context.Context, request *runtime.ListContainersRequest) (*runtime.ListContainersResponse, error) {
	all := &runtime.ListContainersResponse{}
	filter := request.GetFilter()
	for _, one := range s.containers {
		isWanted := (filter.GetId() == "" || filter.Id == one.id) &&
			(filter.GetPodSandboxId() == "" || filter.PodSandboxId == one.sandbox) &&
			(filter.GetState() == nil || filter.State.State == one.state)
		if isWanted && has(one.config.Labels, filter.GetLabelSelector()) {
			all.Containers = append(all.Containers, &runtime.Container{
				Id: one.id, PodSandboxId: one.sandbox, Metadata: one.config.Metadata, Image: one.config.Image,
				ImageRef: one.config.Image.Image, State: one.state, CreatedAt: one.created,
				Labels: one.config.Labels, Annotations: one.config.Annotations,
			})
		}
	}
	return all, nil
}

func (s *standIn) ContainerStatus(_ context.Context, request *runtime.ContainerStatusRequest) (*runtime.ContainerStatusResponse, error) {
	known, err := s.find(request.ContainerId)
	if err != nil {
		return nil, err
	}
	return &runtime.ContainerStatusResponse{Status: &runtime.ContainerStatus{
		Id: known.id, Metadata: known.config.Metadata, State: known.state,
		CreatedAt: known.created, StartedAt: known.started, FinishedAt: known.finished, ExitCode: known.exitCode,
		Image: known.config.Image, ImageRef: known.config.Image.Image,
		Labels: known.config.Labels, Annotations: known.config.Annotations,
		Mounts: known.config.Mounts, LogPath: known.config.LogPath, Reason: known.reason(),
	}}, nil
}

func (s *standIn) ListContainerStats(context.Context, *runtime.ListContainerStatsRequest) (*runtime.ListContainerStatsResponse, error) {
	return &runtime.ListContainerStatsResponse{}, nil
}

func (s *standIn) ListPodSandboxStats(context.Context, *runtime.ListPodSandboxStatsRequest) (*runtime.ListPodSandboxStatsResponse, error) {
	return &runtime.ListPodSandboxStatsResponse{}, nil
}

func has(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}
