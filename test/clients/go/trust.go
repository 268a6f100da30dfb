package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/certificate/csr"
	"k8s.io/utils/ptr"
)

// trusting lets somebody in, by each credential that client-go knows, and asks what they may do.
func trusting(s *session) {
	withFormats(s, func(format string, clients, _ kubernetes.Interface) {
		for _, one := range []struct {
			name string
			try  func(context.Context, *session, kubernetes.Interface)
		}{
			{"a token of an account is reviewed, and is somebody", reviewed},
			{"an exec plugin gives the token, and a role lets it in", byPlugin},
			{"a role lets an impersonated user in, and nobody gives more than they have", escalating},
			{"a certificate is asked for, approved and used", certified},
		} {
			s.check(one.name+", "+format, func(ctx context.Context) { one.try(ctx, s, clients) })
		}
	})
}

// account makes an account of a fresh name with a token.
func account(ctx context.Context, s *session, clients kubernetes.Interface) (string, string) {
	accounts := clients.CoreV1().ServiceAccounts(s.namespace)
	name := value(accounts.Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{GenerateName: "robot-"}}, metav1.CreateOptions{})).Name
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](600)}}
	return name, value(accounts.CreateToken(ctx, name, request, metav1.CreateOptions{})).Status.Token
}

// stranger is a configuration for the same server without a credential.
func stranger(s *session) *rest.Config {
	config := rest.AnonymousClientConfig(s.config)
	config.QPS = -1
	return config
}

func reviewed(ctx context.Context, s *session, clients kubernetes.Interface) {
	name, token := account(ctx, s, clients)
	reviews := clients.AuthenticationV1().TokenReviews()
	good := value(reviews.Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{}))
	same("whether the token is somebody's", good.Status.Authenticated, true)
	same("whose it is", good.Status.User.Username, "system:serviceaccount:"+s.namespace+":"+name)
	bad := value(reviews.Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token + "x"}}, metav1.CreateOptions{}))
	same("whether a changed token is somebody's", bad.Status.Authenticated, false)

	config := stranger(s)
	config.BearerToken = token
	self := value(kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))
	same("who it says it is", self.Status.UserInfo.Username, good.Status.User.Username)
}

func byPlugin(ctx context.Context, s *session, clients kubernetes.Interface) {
	name, token := account(ctx, s, clients)
	folder := value(os.MkdirTemp("", "plugin"))
	defer os.RemoveAll(folder)
	plugin := filepath.Join(folder, "plugin")
	script := "#!/bin/sh\n" + `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + token + "\"}}'\n"
	must(os.WriteFile(plugin, []byte(script), 0o700))
	config := stranger(s)
	config.ExecProvider = &api.ExecConfig{
		Command:         plugin,
		APIVersion:      "client.authentication.k8s.io/v1",
		InteractiveMode: api.NeverExecInteractiveMode,
	}
	maps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps(s.namespace)
	_, err := maps.List(ctx, metav1.ListOptions{})
	refused("an account without a role", err, errors.IsForbidden)

	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
		{Verbs: []string{"list"}, APIGroups: []string{""}, Resources: []string{"configmaps"}},
	}}
	value(clients.RbacV1().Roles(s.namespace).Create(ctx, role, metav1.CreateOptions{}))
	value(clients.RbacV1().RoleBindings(s.namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: name, Namespace: s.namespace}},
	}, metav1.CreateOptions{}))
	eventually(ctx, "the role counts", func() bool {
		_, err := maps.List(ctx, metav1.ListOptions{})
		return err == nil
	})
	must(clients.CoreV1().ServiceAccounts(s.namespace).Delete(ctx, name, metav1.DeleteOptions{}))
	eventually(ctx, "the token ends with its account", func() bool {
		_, err := maps.List(ctx, metav1.ListOptions{})
		return errors.IsUnauthorized(err)
	})
}

func escalating(ctx context.Context, s *session, clients kubernetes.Interface) {
	name := value(clients.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "writers-of-roles-"},
		Rules: []rbacv1.PolicyRule{
			{Verbs: []string{"create"}, APIGroups: []string{rbacv1.GroupName}, Resources: []string{"roles"}},
			{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"secrets"}},
		},
	}, metav1.CreateOptions{})).Name
	value(clients.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	}, metav1.CreateOptions{}))
	config := rest.CopyConfig(s.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name}
	other := kubernetes.NewForConfigOrDie(config)
	eventually(ctx, "the role counts", func() bool {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "create", Group: rbacv1.GroupName, Resource: "roles", Namespace: s.namespace},
		}}
		return value(other.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})).Status.Allowed
	})
	gives := func(verb string) error {
		_, err := other.RbacV1().Roles(s.namespace).Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{GenerateName: "given-"},
			Rules:      []rbacv1.PolicyRule{{Verbs: []string{verb}, APIGroups: []string{""}, Resources: []string{"secrets"}}},
		}, metav1.CreateOptions{})
		return err
	}
	must(gives("get"))
	refused("a right that the writer does not have", gives("delete"), errors.IsForbidden)
	rules := value(other.AuthorizationV1().SelfSubjectRulesReviews().Create(ctx, &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: s.namespace},
	}, metav1.CreateOptions{}))
	holds("rules of the role and of everybody", len(rules.Status.ResourceRules) > 2)
}

func certified(ctx context.Context, s *session, clients kubernetes.Interface) {
	key := value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	asked := value(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: "go-user", Organization: []string{"go-team"}},
	}, key))
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: asked})
	name, uid, err := csr.RequestCertificateWithContext(ctx, clients, text, "", certificatesv1.KubeAPIServerClientSignerName,
		nil, []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth}, key)
	must(err)
	requests := clients.CertificatesV1().CertificateSigningRequests()
	pending := value(requests.Get(ctx, name, metav1.GetOptions{}))
	pending.Status.Conditions = append(pending.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Tested", Message: "by a test",
	})
	value(requests.UpdateApproval(ctx, name, pending, metav1.UpdateOptions{}))
	certificate := value(csr.WaitForCertificate(ctx, clients, name, uid))

	config := stranger(s)
	config.CertData = certificate
	config.KeyData = pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: value(x509.MarshalECPrivateKey(key))})
	self := value(kubernetes.NewForConfigOrDie(config).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{}))
	same("who the certificate is", self.Status.UserInfo.Username, "go-user")
	same("its groups", fmt.Sprint(self.Status.UserInfo.Groups), "[go-team system:authenticated]")
}
