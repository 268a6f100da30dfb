// A KMS plugin as others write them: on k8s.io/kms, the module that Kubernetes publishes for them.
//
//	plugin SOCKET STATE
//
// STATE is a JSON file that says which key it uses and how it is, read before each answer: {"keyId": "one", "healthz": "ok"}. A key is
// the SHA-256 of its id.
package main

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"k8s.io/kms/pkg/service"
)

const annotation = "uid.kms.example.com"

type state struct {
	KeyID   string `json:"keyId"`
	Healthz string `json:"healthz"`
}

type plugin struct{ file string }

func (p plugin) state() (state, error) {
	var found state
	text, err := os.ReadFile(p.file)
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	return found, err
}

func sealer(keyID string) (cipher.AEAD, error) {
	key := sha256.Sum256([]byte(keyID))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (p plugin) Status(context.Context) (*service.StatusResponse, error) {
	now, err := p.state()
	if err != nil {
		return nil, err
	}
	return &service.StatusResponse{Version: "v2", Healthz: now.Healthz, KeyID: now.KeyID}, nil
}

// The uid of the request is under the seal, and comes back in an annotation: what is handed in to be opened has to be whole.
func (p plugin) Encrypt(_ context.Context, uid string, data []byte) (*service.EncryptResponse, error) {
	now, err := p.state()
	if err != nil {
		return nil, err
	}
	seal, err := sealer(now.KeyID)
	if err != nil {
		return nil, err
	}
	if uid == "" {
		return nil, errors.New("expected a uid")
	}
	return &service.EncryptResponse{
		Ciphertext:  seal.Seal(nil, nil, data, []byte(uid)),
		KeyID:       now.KeyID,
		Annotations: map[string][]byte{annotation: []byte(uid), "empty.kms.example.com": {}},
	}, nil
}

func (p plugin) Decrypt(_ context.Context, uid string, request *service.DecryptRequest) ([]byte, error) {
	sealedFor := request.Annotations[annotation]
	if uid == "" || bytes.Equal(sealedFor, []byte(uid)) {
		return nil, fmt.Errorf("expected a uid of its own, got %q", uid)
	}
	if _, found := request.Annotations["empty.kms.example.com"]; !found {
		return nil, errors.New("expected both annotations")
	}
	seal, err := sealer(request.KeyID)
	if err != nil {
		return nil, err
	}
	return seal.Open(nil, nil, request.Ciphertext, sealedFor)
}

func main() {
	socket := os.Args[1]
	_ = os.Remove(socket)
	log.Fatal(service.NewGRPCService(socket, 5*time.Second, plugin{os.Args[2]}).ListenAndServe())
}
