package controller

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	certsv1 "example.com/minicert/api/v1"
)

const (
	accountSecret = "acme-account"
	folder        = "/.well-known/acme-challenge"
	image         = "nginxinc/nginx-unprivileged:1.27"
	secretIndex   = "spec.secretName"
	poll          = 5 * time.Second
	maxPoll       = 15 * time.Minute
	maxWait       = 36 * time.Hour
)

var errSecretTaken = errors.New("the Secret is there and does not belong to the Certificate")

// CertificateReconciler reconciles a Certificate object
type CertificateReconciler struct {
	client.Client
	Scheme       *runtime.Scheme
	APIReader    client.Reader
	Clock        clock.Clock
	HTTP         *http.Client
	DirectoryURL string
	Email        string
	// accounts has the URLs of accounts, by their keys.
	accounts sync.Map
}

func (r *CertificateReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var cert certsv1.Certificate
	if err := r.Get(ctx, req.NamespacedName, &cert); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := cert.DeepCopy()
	result, err := r.reconcile(ctx, &cert)
	if err != nil {
		var rateLimit time.Duration
		if retryAfter, ok := acme.RateLimit(err); ok && retryAfter > 0 {
			rateLimit = retryAfter
		}
		switch {
		case errors.Is(err, errSecretTaken):
			r.setIssuing(&cert, metav1.ConditionFalse, "SecretTaken", err.Error())
			result, err = ctrl.Result{}, nil
		case rateLimit > 0:
			r.setIssuing(&cert, metav1.ConditionFalse, "RateLimited", err.Error())
			result, err = r.waitFor(&cert, rateLimit), nil
		default:
			r.setIssuing(&cert, metav1.ConditionTrue, "Error", err.Error())
		}
	}
	cert.Status.ObservedGeneration = cert.Generation
	if !equality.Semantic.DeepEqual(before.Status, cert.Status) {
		if statusErr := r.Status().Update(ctx, &cert); statusErr != nil {
			return ctrl.Result{}, errors.Join(err, statusErr)
		}
	}
	return result, err
}

func (r *CertificateReconciler) reconcile(ctx context.Context, cert *certsv1.Certificate) (ctrl.Result, error) {
	content, err := r.readSecret(ctx, cert, cert.Spec.SecretName)
	if err != nil {
		return ctrl.Result{}, err
	}
	leaf := leafOf(content, cert)
	r.setReady(cert, leaf)
	if leaf != nil && cert.Status.RenewAt.After(r.Clock.Now()) {
		return r.rest(ctx, cert)
	}
	retryAt := cert.Status.RetryAt
	if retryAt != nil && retryAt.After(r.Clock.Now()) && cert.Status.ObservedGeneration == cert.Generation {
		return ctrl.Result{RequeueAfter: retryAt.Sub(r.Clock.Now())}, r.reconcileSolver(ctx, cert)
	}
	return r.issue(ctx, cert)
}

// rest removes what an order has left, and waits for the renewal.
func (r *CertificateReconciler) rest(ctx context.Context, cert *certsv1.Certificate) (ctrl.Result, error) {
	if cert.Status.Order != nil {
		if err := r.deleteSecret(ctx, cert, nextKeyName(cert)); err != nil {
			return ctrl.Result{}, err
		}
	}
	cert.Status.Order, cert.Status.Failures, cert.Status.RetryAt = nil, 0, nil
	r.setIssuing(cert, metav1.ConditionFalse, "Issued", "Nothing is asked for until the renewal.")
	return ctrl.Result{RequeueAfter: max(cert.Status.RenewAt.Sub(r.Clock.Now()), poll)}, r.reconcileSolver(ctx, cert)
}

// issue takes the next step of the order.
func (r *CertificateReconciler) issue(ctx context.Context, cert *certsv1.Certificate) (ctrl.Result, error) {
	acmeClient, err := r.acmeClient(ctx, cert)
	if err != nil {
		return ctrl.Result{}, err
	}
	order, err := r.openOrder(ctx, cert, acmeClient)
	if err != nil {
		return ctrl.Result{}, err
	}
	switch order.Status {
	case acme.StatusPending:
		return r.prove(ctx, cert, acmeClient, order)
	case acme.StatusReady:
		key, err := r.nextKey(ctx, cert)
		if err != nil {
			return ctrl.Result{}, err
		}
		csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: hostsOf(cert)}, key)
		if err != nil {
			return ctrl.Result{}, err
		}
		chain, _, err := acmeClient.CreateOrderCert(ctx, order.FinalizeURL, csr, true)
		if err != nil {
			return ctrl.Result{}, err
		}
		return r.store(ctx, cert, chain)
	case acme.StatusValid:
		chain, err := acmeClient.FetchCert(ctx, order.CertURL, true)
		if err != nil {
			return ctrl.Result{}, err
		}
		return r.store(ctx, cert, chain)
	case acme.StatusInvalid:
		return r.giveUp(ctx, cert, r.reasonOf(ctx, acmeClient, order))
	default:
		return r.again(cert), nil
	}
}

// openOrder returns the order that is under way, or makes one.
func (r *CertificateReconciler) openOrder(ctx context.Context, cert *certsv1.Certificate, acmeClient *acme.Client) (*acme.Order, error) {
	if cert.Status.Order != nil {
		order, err := acmeClient.GetOrder(ctx, cert.Status.Order.URL)
		var acmeErr *acme.Error
		isGone := errors.As(err, &acmeErr) && acmeErr.StatusCode == http.StatusNotFound
		if err != nil && !isGone {
			return nil, err
		}
		if err == nil {
			var hosts []string
			for _, identifier := range order.Identifiers {
				hosts = append(hosts, identifier.Value)
			}
			if sameHosts(hosts, hostsOf(cert)) {
				return order, nil
			}
		}
	}
	order, err := acmeClient.AuthorizeOrder(ctx, acme.DomainIDs(hostsOf(cert)...))
	if err != nil {
		return nil, err
	}
	before := cert.DeepCopy()
	cert.Status.Order = &certsv1.Order{URL: order.URI, Since: metav1.NewTime(r.Clock.Now()), Challenges: []certsv1.Challenge{}}
	cert.Status.RetryAt = nil
	r.setIssuing(cert, metav1.ConditionTrue, "Ordered", "The certificate is ordered.")
	return order, r.Status().Patch(ctx, cert, client.MergeFrom(before))
}

// prove has the answers to all challenges served, and calls the ACME server when they are there.
func (r *CertificateReconciler) prove(ctx context.Context, cert *certsv1.Certificate, acmeClient *acme.Client, order *acme.Order) (ctrl.Result, error) {
	challenges := []certsv1.Challenge{}
	var pending []*acme.Challenge
	for _, url := range order.AuthzURLs {
		authorization, err := acmeClient.GetAuthorization(ctx, url)
		if err != nil {
			return ctrl.Result{}, err
		}
		if authorization.Status != acme.StatusPending {
			continue
		}
		host := authorization.Identifier.Value
		index := slices.IndexFunc(authorization.Challenges, func(c *acme.Challenge) bool { return c.Type == "http-01" })
		if index < 0 {
			return r.giveUp(ctx, cert, host+" cannot be proven over HTTP")
		}
		challenge := authorization.Challenges[index]
		answer, err := acmeClient.HTTP01ChallengeResponse(challenge.Token)
		if err != nil {
			return ctrl.Result{}, err
		}
		challenges = append(challenges, certsv1.Challenge{Host: host, Token: challenge.Token, Answer: answer})
		if challenge.Status == acme.StatusPending {
			pending = append(pending, challenge)
		}
	}
	cert.Status.Order.Challenges = challenges
	if err := r.reconcileSolver(ctx, cert); err != nil {
		return ctrl.Result{}, err
	}
	missing, err := r.missing(ctx, cert)
	if err != nil {
		return ctrl.Result{}, err
	}
	if len(missing) > 0 {
		r.setIssuing(cert, metav1.ConditionTrue, "Waiting", fmt.Sprintf("Waits for %s.", strings.Join(missing, ", ")))
		return r.again(cert), nil
	}
	for _, challenge := range pending {
		if _, err := acmeClient.Accept(ctx, challenge); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.setIssuing(cert, metav1.ConditionTrue, "Proving", "The ACME server looks at the hosts.")
	return r.again(cert), nil
}

// missing returns what the ACME server would wait for in vain.
func (r *CertificateReconciler) missing(ctx context.Context, cert *certsv1.Certificate) ([]string, error) {
	var deployment appsv1.Deployment
	key := client.ObjectKeyFromObject(solverMeta(cert))
	if err := r.Get(ctx, key, &deployment); err != nil {
		return []string{"Deployment " + key.Name}, client.IgnoreNotFound(err)
	}
	status := deployment.Status
	if status.ObservedGeneration != deployment.Generation || status.UpdatedReplicas < 1 || status.AvailableReplicas < 1 {
		return []string{"Deployment " + key.Name}, nil
	}
	var missing []string
	for _, challenge := range cert.Status.Order.Challenges {
		url := fmt.Sprintf("http://%s%s/%s", challenge.Host, folder, challenge.Token)
		if !r.isServed(ctx, url, challenge.Answer) {
			missing = append(missing, url)
		}
	}
	return missing, nil
}

func (r *CertificateReconciler) isServed(ctx context.Context, url, answer string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := r.HTTP.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return err == nil && response.StatusCode == http.StatusOK && strings.TrimSpace(string(body)) == answer
}

func (r *CertificateReconciler) store(ctx context.Context, cert *certsv1.Certificate, chain [][]byte) (ctrl.Result, error) {
	next, err := r.readSecret(ctx, cert, nextKeyName(cert))
	if err != nil {
		return ctrl.Result{}, err
	}
	var encoded bytes.Buffer
	for _, der := range chain {
		if err := pem.Encode(&encoded, &pem.Block{Type: "CERTIFICATE", Bytes: der}); err != nil {
			return ctrl.Result{}, err
		}
	}
	content := map[string][]byte{corev1.TLSPrivateKeyKey: next[corev1.TLSPrivateKeyKey], corev1.TLSCertKey: encoded.Bytes()}
	leaf := leafOf(content, cert)
	if leaf == nil {
		return r.giveUp(ctx, cert, "the certificate is not for these hosts and this key")
	}
	if err := r.writeSecret(ctx, cert, cert.Spec.SecretName, corev1.SecretTypeTLS, content); err != nil {
		return ctrl.Result{}, err
	}
	r.setReady(cert, leaf)
	return r.rest(ctx, cert)
}

// giveUp has the next order made later, each time twice as late.
func (r *CertificateReconciler) giveUp(ctx context.Context, cert *certsv1.Certificate, reason string) (ctrl.Result, error) {
	wait := min(time.Hour<<min(cert.Status.Failures, 10), maxWait)
	cert.Status.Failures++
	cert.Status.Order = nil
	r.setIssuing(cert, metav1.ConditionFalse, "Failed", fmt.Sprintf("The order failed: %s.", reason))
	return r.waitFor(cert, wait), r.reconcileSolver(ctx, cert)
}

func (r *CertificateReconciler) reasonOf(ctx context.Context, acmeClient *acme.Client, order *acme.Order) string {
	if order.Error != nil {
		return order.Error.Detail
	}
	for _, url := range order.AuthzURLs {
		authorization, err := acmeClient.GetAuthorization(ctx, url)
		if err != nil {
			continue
		}
		for _, challenge := range authorization.Challenges {
			if challenge.Error != nil {
				return challenge.Error.Error()
			}
		}
	}
	return "it has ended"
}

func (r *CertificateReconciler) waitFor(cert *certsv1.Certificate, wait time.Duration) ctrl.Result {
	cert.Status.RetryAt = ptr.To(metav1.NewTime(r.Clock.Now().Add(wait)))
	return ctrl.Result{RequeueAfter: wait}
}

func (r *CertificateReconciler) again(cert *certsv1.Certificate) ctrl.Result {
	age := r.Clock.Since(cert.Status.Order.Since.Time)
	return ctrl.Result{RequeueAfter: min(max(age/4, poll), maxPoll)}
}

// reconcileSolver keeps the web server with the answers while there are challenges, and deletes it afterwards.
func (r *CertificateReconciler) reconcileSolver(ctx context.Context, cert *certsv1.Certificate) error {
	object := solverMeta(cert)
	configMap := &corev1.ConfigMap{ObjectMeta: object.ObjectMeta}
	deployment := &appsv1.Deployment{ObjectMeta: object.ObjectMeta}
	service := &corev1.Service{ObjectMeta: object.ObjectMeta}
	ingress := &networkingv1.Ingress{ObjectMeta: object.ObjectMeta}
	if cert.Status.Order == nil || len(cert.Status.Order.Challenges) == 0 {
		for _, object := range []client.Object{ingress, service, deployment, configMap} {
			if err := r.deleteOwned(ctx, cert, object); err != nil {
				return err
			}
		}
		return nil
	}
	labels := map[string]string{"app.kubernetes.io/name": "mini-cert", "app.kubernetes.io/instance": object.Name}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, configMap, func() error {
		configMap.Labels = labels
		configMap.Data = map[string]string{}
		for _, challenge := range cert.Status.Order.Challenges {
			configMap.Data[challenge.Token] = challenge.Answer
		}
		return controllerutil.SetControllerReference(cert, configMap, r.Scheme)
	}); err != nil {
		return err
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		deployment.Labels = labels
		if deployment.CreationTimestamp.IsZero() {
			deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		}
		deployment.Spec.Template.Labels = labels
		podSpec := &deployment.Spec.Template.Spec
		podSpec.AutomountServiceAccountToken = ptr.To(false)
		if len(podSpec.Containers) == 0 {
			podSpec.Containers = []corev1.Container{{Name: "nginx"}}
		}
		container := &podSpec.Containers[0]
		container.Image = image
		container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}}
		container.VolumeMounts = []corev1.VolumeMount{{Name: "answers", MountPath: "/usr/share/nginx/html" + folder}}
		if len(podSpec.Volumes) == 0 {
			podSpec.Volumes = []corev1.Volume{{
				Name: "answers",
				VolumeSource: corev1.VolumeSource{
					ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: object.Name}},
				},
			}}
		}
		return controllerutil.SetControllerReference(cert, deployment, r.Scheme)
	}); err != nil {
		return err
	}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, service, func() error {
		service.Labels = labels
		service.Spec.Selector = labels
		service.Spec.Ports = []corev1.ServicePort{{Name: "http", Port: 80, Protocol: corev1.ProtocolTCP, TargetPort: intstr.FromString("http")}}
		return controllerutil.SetControllerReference(cert, service, r.Scheme)
	}); err != nil {
		return err
	}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, ingress, func() error {
		ingress.Labels = labels
		ingress.Spec.Rules = nil
		backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
			Name: object.Name,
			Port: networkingv1.ServiceBackendPort{Name: "http"},
		}}
		for _, challenge := range cert.Status.Order.Challenges {
			path := networkingv1.HTTPIngressPath{
				Path:     folder + "/" + challenge.Token,
				PathType: ptr.To(networkingv1.PathTypeExact),
				Backend:  backend,
			}
			ingress.Spec.Rules = append(ingress.Spec.Rules, networkingv1.IngressRule{
				Host: challenge.Host,
				IngressRuleValue: networkingv1.IngressRuleValue{
					HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{path}},
				},
			})
		}
		return controllerutil.SetControllerReference(cert, ingress, r.Scheme)
	})
	return err
}

// deleteOwned deletes an object, if it is there and belongs to the Certificate.
func (r *CertificateReconciler) deleteOwned(ctx context.Context, cert *certsv1.Certificate, object client.Object) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(object, cert) {
		return nil
	}
	return client.IgnoreNotFound(r.Delete(ctx, object, client.Preconditions{UID: ptr.To(object.GetUID())}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// readSecret reads past the cache: no key is kept in memory.
func (r *CertificateReconciler) readSecret(ctx context.Context, cert *certsv1.Certificate, name string) (map[string][]byte, error) {
	var secret corev1.Secret
	if err := r.APIReader.Get(ctx, types.NamespacedName{Namespace: cert.Namespace, Name: name}, &secret); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(&secret, cert) {
		return nil, fmt.Errorf("%s: %w", name, errSecretTaken)
	}
	return secret.Data, nil
}

// writeSecret makes a Secret, or replaces the content of one that belongs to the Certificate.
func (r *CertificateReconciler) writeSecret(ctx context.Context, cert *certsv1.Certificate, name string, secretType corev1.SecretType, content map[string][]byte) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: name}}
	err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(secret), secret)
	if err == nil && !metav1.IsControlledBy(secret, cert) {
		return fmt.Errorf("%s: %w", name, errSecretTaken)
	}
	isNew := apierrors.IsNotFound(err)
	if err != nil && !isNew {
		return err
	}
	secret.Type = secretType
	secret.Data = content
	if err := controllerutil.SetControllerReference(cert, secret, r.Scheme); err != nil {
		return err
	}
	if isNew {
		return r.Create(ctx, secret)
	}
	return r.Update(ctx, secret)
}

func (r *CertificateReconciler) deleteSecret(ctx context.Context, cert *certsv1.Certificate, name string) error {
	var secret corev1.Secret
	if err := r.APIReader.Get(ctx, types.NamespacedName{Namespace: cert.Namespace, Name: name}, &secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(&secret, cert) {
		return fmt.Errorf("%s: %w", name, errSecretTaken)
	}
	return client.IgnoreNotFound(r.Delete(ctx, &secret, client.Preconditions{UID: ptr.To(secret.UID)}))
}

// nextKey returns the key of the next certificate, which is kept before the server hears of it.
func (r *CertificateReconciler) nextKey(ctx context.Context, cert *certsv1.Certificate) (crypto.Signer, error) {
	content, err := r.readSecret(ctx, cert, nextKeyName(cert))
	if err != nil {
		return nil, err
	}
	if encoded, ok := content[corev1.TLSPrivateKeyKey]; ok {
		return parseKey(encoded)
	}
	encoded, err := newKey()
	if err != nil {
		return nil, err
	}
	content = map[string][]byte{corev1.TLSPrivateKeyKey: encoded}
	if err := r.writeSecret(ctx, cert, nextKeyName(cert), corev1.SecretTypeOpaque, content); err != nil {
		return nil, err
	}
	return parseKey(encoded)
}

// acmeClient returns a client with the account of the namespace, which is made at first.
func (r *CertificateReconciler) acmeClient(ctx context.Context, cert *certsv1.Certificate) (*acme.Client, error) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: accountSecret}}
	if err := r.APIReader.Get(ctx, client.ObjectKeyFromObject(secret), secret); apierrors.IsNotFound(err) {
		encoded, err := newKey()
		if err != nil {
			return nil, err
		}
		secret.Data = map[string][]byte{corev1.TLSPrivateKeyKey: encoded}
		if err := r.Create(ctx, secret); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	key, err := parseKey(secret.Data[corev1.TLSPrivateKeyKey])
	if err != nil {
		return nil, fmt.Errorf("Secret %s: %w", accountSecret, err)
	}
	acmeClient := &acme.Client{Key: key, DirectoryURL: r.DirectoryURL, RetryBackoff: retryBadNonce}
	accountKey := string(secret.Data[corev1.TLSPrivateKeyKey])
	if kid, ok := r.accounts.Load(accountKey); ok {
		acmeClient.KID = kid.(acme.KeyID)
		return acmeClient, nil
	}
	account := &acme.Account{}
	if r.Email != "" {
		account.Contact = []string{"mailto:" + r.Email}
	}
	_, err = acmeClient.Register(ctx, account, acme.AcceptTOS)
	if err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, err
	}
	r.accounts.Store(accountKey, acmeClient.KID)
	return acmeClient, nil
}

// retryBadNonce leaves all other tries to the work queue.
func retryBadNonce(n int, _ *http.Request, response *http.Response) time.Duration {
	if response != nil && response.StatusCode == http.StatusBadRequest && n < 5 {
		return time.Millisecond
	}
	return -1
}

func (r *CertificateReconciler) setReady(cert *certsv1.Certificate, leaf *x509.Certificate) {
	condition := metav1.Condition{
		Type:               "Ready",
		Status:             metav1.ConditionFalse,
		Reason:             "NotIssued",
		Message:            "The Secret has no certificate for all hosts.",
		ObservedGeneration: cert.Generation,
	}
	cert.Status.NotAfter, cert.Status.RenewAt = nil, nil
	if leaf != nil {
		renewAt := leaf.NotBefore.Add(leaf.NotAfter.Sub(leaf.NotBefore) * 2 / 3)
		cert.Status.NotAfter = ptr.To(metav1.NewTime(leaf.NotAfter))
		cert.Status.RenewAt = ptr.To(metav1.NewTime(renewAt))
		until := leaf.NotAfter.Format(time.RFC3339)
		if leaf.NotAfter.After(r.Clock.Now()) {
			condition.Status, condition.Reason, condition.Message = metav1.ConditionTrue, "Issued", fmt.Sprintf("It is valid until %s.", until)
		} else {
			condition.Reason, condition.Message = "Expired", fmt.Sprintf("It was valid until %s.", until)
		}
	}
	meta.SetStatusCondition(&cert.Status.Conditions, condition)
}

func (r *CertificateReconciler) setIssuing(cert *certsv1.Certificate, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&cert.Status.Conditions, metav1.Condition{
		Type:               "Issuing",
		Status:             status,
		Reason:             reason,
		Message:            message,
		ObservedGeneration: cert.Generation,
	})
}

// leafOf returns the certificate in a Secret, if it is for exactly the hosts of the Certificate, and its key.
func leafOf(content map[string][]byte, cert *certsv1.Certificate) *x509.Certificate {
	pair, err := tls.X509KeyPair(content[corev1.TLSCertKey], content[corev1.TLSPrivateKeyKey])
	if err != nil || !sameHosts(pair.Leaf.DNSNames, hostsOf(cert)) {
		return nil
	}
	return pair.Leaf
}

func sameHosts(some, others []string) bool {
	some, others = slices.Clone(some), slices.Clone(others)
	slices.Sort(some)
	slices.Sort(others)
	return slices.Equal(slices.Compact(some), slices.Compact(others))
}

func hostsOf(cert *certsv1.Certificate) []string {
	var hosts []string
	for _, host := range cert.Spec.DNSNames {
		hosts = append(hosts, string(host))
	}
	return hosts
}

func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func parseKey(encoded []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(encoded)
	if block == nil {
		return nil, errors.New("there is no key in tls.key")
	}
	return x509.ParseECPrivateKey(block.Bytes)
}

func nextKeyName(cert *certsv1.Certificate) string {
	return shortName(cert.Name + "-next-key")
}

// shortName fits wherever a DNS label is wanted: the end of a long name gives way to a hash of it.
func shortName(name string) string {
	if len(name) <= validation.DNS1123LabelMaxLength && !strings.Contains(name, ".") {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	start := strings.ReplaceAll(name[:min(len(name), 54)], ".", "-")
	return fmt.Sprintf("%s-%x", strings.TrimRight(start, "-"), sum[:4])
}

func solverMeta(cert *certsv1.Certificate) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: cert.Namespace, Name: shortName(cert.Name + "-acme")}}
}

func (r *CertificateReconciler) certificatesOf(ctx context.Context, secret client.Object) []reconcile.Request {
	var certs certsv1.CertificateList
	err := r.List(ctx, &certs, client.InNamespace(secret.GetNamespace()), client.MatchingFields{secretIndex: secret.GetName()})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "unable to list Certificates")
		return nil
	}
	var requests []reconcile.Request
	for i := range certs.Items {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&certs.Items[i])})
	}
	return requests
}

// SetupWithManager sets up the controller with the Manager.
func (r *CertificateReconciler) SetupWithManager(mgr ctrl.Manager) error {
	byName := func(object client.Object) []string {
		return []string{object.(*certsv1.Certificate).Spec.SecretName}
	}
	if err := mgr.GetFieldIndexer().IndexField(context.Background(), &certsv1.Certificate{}, secretIndex, byName); err != nil {
		return err
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&certsv1.Certificate{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Owns(&networkingv1.Ingress{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.certificatesOf), builder.OnlyMetadata).
		Named("certificate").
		Complete(r)
}
