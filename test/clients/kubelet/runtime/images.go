package main

import (
	"context"
	"os"

	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// images has every image that was ever pulled; none of them has a content.
type images struct {
	runtime.UnimplementedImageServiceServer

	present map[string]bool
}

func imageOf(name string) *runtime.Image {
	return &runtime.Image{Id: "id-of-" + name, RepoTags: []string{name}, RepoDigests: []string{name + "@sha256:0"}, Size: 1}
}

func (i *images) ListImages(context.Context, *runtime.ListImagesRequest) (*runtime.ListImagesResponse, error) {
	all := &runtime.ListImagesResponse{}
	for name := range i.present {
		all.Images = append(all.Images, imageOf(name))
	}
	return all, nil
}

func (i *images) ImageStatus(_ context.Context, request *runtime.ImageStatusRequest) (*runtime.ImageStatusResponse, error) {
	if name := request.GetImage().GetImage(); i.present[name] {
		return &runtime.ImageStatusResponse{Image: imageOf(name)}, nil
	}
	return &runtime.ImageStatusResponse{}, nil
}

func (i *images) PullImage(_ context.Context, request *runtime.PullImageRequest) (*runtime.PullImageResponse, error) {
	name := request.GetImage().GetImage()
	i.present[name] = true
	return &runtime.PullImageResponse{ImageRef: imageOf(name).Id}, nil
}

func (i *images) RemoveImage(_ context.Context, request *runtime.RemoveImageRequest) (*runtime.RemoveImageResponse, error) {
	delete(i.present, request.GetImage().GetImage())
	return &runtime.RemoveImageResponse{}, nil
}

func (i *images) ImageFsInfo(context.Context, *runtime.ImageFsInfoRequest) (*runtime.ImageFsInfoResponse, error) {
	usage := &runtime.FilesystemUsage{
		FsId:       &runtime.FilesystemIdentifier{Mountpoint: os.TempDir()},
		UsedBytes:  &runtime.UInt64Value{Value: 1},
		InodesUsed: &runtime.UInt64Value{Value: 1},
	}
	filesystems := []*runtime.FilesystemUsage{usage}
	return &runtime.ImageFsInfoResponse{ImageFilesystems: filesystems, ContainerFilesystems: filesystems}, nil
}
