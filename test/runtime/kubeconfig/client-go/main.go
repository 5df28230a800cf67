// Asks client-go what it makes of kubeconfigs, and Go which server certificates it trusts.
//
//	go run . kubeconfigs cases.json > verdicts.json
//	go run . trust > trust.json
//
// The answers are kept beside this file; the tests compare tsop with them. It needs a module with k8s.io/client-go.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Case is a set of files, variables and a context.
type Case struct {
	Name    string            `json:"name"`
	Files   map[string]string `json:"files"`
	Env     map[string]string `json:"env"`
	Context string            `json:"context"`
}

// Verdict is what client-go thinks: an error, or what it would do.
type Verdict struct {
	Name        string              `json:"name"`
	Error       string              `json:"error,omitempty"`
	Server      string              `json:"server,omitempty"`
	Namespace   string              `json:"namespace,omitempty"`
	ServerName  string              `json:"serverName,omitempty"`
	Insecure    bool                `json:"insecure,omitempty"`
	CA          bool                `json:"ca,omitempty"`
	Cert        bool                `json:"cert,omitempty"`
	Token       string              `json:"token,omitempty"`
	TokenFile   string              `json:"tokenFile,omitempty"`
	Username    string              `json:"username,omitempty"`
	Password    string              `json:"password,omitempty"`
	As          string              `json:"as,omitempty"`
	AsUID       string              `json:"asUid,omitempty"`
	AsGroups    []string            `json:"asGroups,omitempty"`
	AsExtra     map[string][]string `json:"asExtra,omitempty"`
	Proxy       string              `json:"proxy,omitempty"`
	ExecCommand string              `json:"execCommand,omitempty"`
	ExecArgs    []string            `json:"execArgs,omitempty"`
	ExecMode    string              `json:"execMode,omitempty"`
}

func main() {
	var answer any
	if os.Args[1] == "trust" {
		answer = trust()
	} else {
		readTexts()
		data, err := os.ReadFile(os.Args[2])
		check(err)
		var cases []Case
		check(json.Unmarshal(data, &cases))
		verdicts := []Verdict{}
		for _, one := range cases {
			verdicts = append(verdicts, judge(one))
		}
		answer = verdicts
	}
	out, err := json.MarshalIndent(answer, "", "  ")
	check(err)
	fmt.Println(string(out))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// The texts that the placeholders of the cases stand for: the first and the third chain of trust.json, and no certificate.
var authorityText, certText, keyText, otherKeyText string

const junkText = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"

func readTexts() {
	data, err := os.ReadFile("trust.json")
	check(err)
	var chains []Chain
	check(json.Unmarshal(data, &chains))
	authorityText, certText, keyText = chains[0].Pool, chains[0].Chain, chains[0].Key
	otherKeyText = chains[6].Key
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// As YAML's block text of a field of a cluster.
func lines(text string) string {
	return text[:40] + "\n        " + text[40:]
}

func judge(one Case) (verdict Verdict) {
	dir, err := os.MkdirTemp("", "judge")
	check(err)
	defer os.RemoveAll(dir)
	in := func(text string) string {
		return strings.NewReplacer("$DIR", dir, "$CA64LINES", lines(encode(authorityText)), "$CA64", encode(authorityText),
			"$CERT64", encode(certText), "$KEY64", encode(keyText), "$OTHERKEY64", encode(otherKeyText), "$JUNK64", encode(junkText),
			"$CA", authorityText, "$CERT", certText, "$KEY", keyText).Replace(text)
	}
	out := func(text string) string { return strings.ReplaceAll(text, dir, "$DIR") }
	for path, text := range one.Files {
		whole := filepath.Join(dir, path)
		check(os.MkdirAll(filepath.Dir(whole), 0o755))
		check(os.WriteFile(whole, []byte(in(text)), 0o600))
	}
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"} {
		os.Unsetenv(name)
	}
	os.Setenv("KUBECONFIG", filepath.Join(dir, "config"))
	for name, value := range one.Env {
		os.Setenv(name, in(value))
	}
	verdict.Name = one.Name
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: one.Context})
	config, err := loader.ClientConfig()
	if err == nil {
		_, err = rest.HTTPClientFor(config)
	}
	if err != nil {
		verdict.Error = out(err.Error())
		return verdict
	}
	url, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		verdict.Error = out(err.Error())
		return verdict
	}
	verdict.Server = strings.TrimRight(url.String(), "/")
	verdict.Namespace, _, _ = loader.Namespace()
	verdict.ServerName = config.ServerName
	verdict.Insecure = config.Insecure
	verdict.CA = pick(config.CAData, config.CAFile) != ""
	verdict.Cert = pick(config.CertData, config.CertFile) != ""
	verdict.Token = config.BearerToken
	verdict.TokenFile = out(config.BearerTokenFile)
	verdict.Username = config.Username
	verdict.Password = config.Password
	verdict.As = config.Impersonate.UserName
	verdict.AsUID = config.Impersonate.UID
	verdict.AsGroups = config.Impersonate.Groups
	verdict.AsExtra = config.Impersonate.Extra
	if exec := config.ExecProvider; exec != nil && config.BearerToken == "" && config.Username == "" && !verdict.Cert {
		verdict.ExecCommand = out(exec.Command)
		verdict.ExecArgs = exec.Args
		verdict.ExecMode = string(exec.InteractiveMode)
	}
	if config.Proxy != nil {
		request, err := http.NewRequest("GET", url.String(), nil)
		check(err)
		proxy, err := config.Proxy(request)
		check(err)
		verdict.Proxy = proxy.String()
	}
	return verdict
}

func pick(data []byte, file string) string {
	if len(data) == 0 && file != "" {
		data, _ = os.ReadFile(file)
	}
	return string(data)
}

// Chain is a server's certificates, a pool that they are checked against, and whether Go trusts them.
type Chain struct {
	Name    string `json:"name"`
	Pool    string `json:"pool"`
	Chain   string `json:"chain"`
	Key     string `json:"key"`
	Trusted bool   `json:"trusted"`
	Error   string `json:"error,omitempty"`
}

type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

var serial = int64(1)

func issue(name string, parent *issued, change func(*x509.Certificate)) *issued {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	serial++
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2120, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	change(template)
	signer := &issued{template, key}
	if parent != nil {
		signer = parent
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.cert, &key.PublicKey, signer.key)
	check(err)
	cert, err := x509.ParseCertificate(der)
	check(err)
	return &issued{cert, key}
}

func authority(template *x509.Certificate) {
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign
}

func server(template *x509.Certificate) {
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
}

func text(certs ...*issued) string {
	out := ""
	for _, one := range certs {
		out += string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one.cert.Raw}))
	}
	return out
}

func trust() []Chain {
	root := issue("root", nil, authority)
	other := issue("root", nil, authority)
	middle := issue("middle", root, authority)
	leaf := issue("leaf", middle, server)
	direct := issue("direct", root, server)
	self := issue("self", nil, server)
	selfAuthority := issue("self-ca", nil, func(template *x509.Certificate) {
		authority(template)
		server(template)
		template.KeyUsage |= x509.KeyUsageCertSign
	})
	signOnly := issue("sign-only", nil, func(template *x509.Certificate) { server(template); authority(template) })
	bare := issue("bare", nil, func(template *x509.Certificate) { template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)} })
	elsewhere := issue("elsewhere", root, func(template *x509.Certificate) {
		server(template)
		template.IPAddresses = []net.IP{net.IPv4(10, 0, 0, 1)}
	})
	nameless := issue("127.0.0.1", root, func(template *x509.Certificate) { server(template); template.IPAddresses = nil })
	expired := issue("expired", root, func(template *x509.Certificate) {
		server(template)
		template.NotAfter = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	expiredMiddle := issue("expired-middle", root, func(template *x509.Certificate) {
		authority(template)
		template.NotAfter = time.Date(2021, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	underExpired := issue("under-expired", expiredMiddle, server)
	noAuthority := issue("no-authority", root, server)
	underLeaf := issue("under-leaf", noAuthority, server)
	client := issue("client", root, func(template *x509.Certificate) {
		server(template)
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	})
	junk := "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	keyBlock := "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"
	chains := []Chain{
		entry("the root of the chain", text(root), leaf, middle),
		entry("the root, and the server sends its leaf alone", text(root), leaf),
		entry("the root and the intermediate, and the server sends its leaf alone", text(root, middle), leaf),
		entry("the intermediate alone", text(middle), leaf, middle),
		entry("the intermediate alone, and the server sends its leaf alone", text(middle), leaf),
		entry("the server's own certificate", text(leaf), leaf, middle),
		entry("the server's own certificate of a root", text(direct), direct),
		entry("another certificate of the same root", text(direct), client),
		entry("a self-signed server certificate", text(self), self),
		entry("a self-signed server certificate that is an authority too", text(selfAuthority), selfAuthority),
		entry("a self-signed server certificate whose key may only sign certificates", text(signOnly), signOnly),
		entry("a self-signed certificate without usages", text(bare), bare),
		entry("another self-signed certificate", text(self), bare),
		entry("another root of the same name", text(other), direct),
		entry("another root of the same name beside the right one", text(other, root), direct),
		entry("the own certificate for another address", text(elsewhere), elsewhere),
		entry("a certificate with the address in its common name only", text(root), nameless),
		entry("an expired server certificate", text(root), expired),
		entry("an expired own certificate", text(expired), expired),
		entry("the root behind an expired intermediate", text(root), underExpired, expiredMiddle),
		entry("an expired intermediate", text(expiredMiddle), underExpired),
		entry("a server certificate that signed another one", text(noAuthority), underLeaf),
		entry("the root, and a chain through a server certificate", text(root), underLeaf, noAuthority),
		entry("a certificate for clients", text(root), client),
		entry("a client's certificate as its own anchor", text(client), client),
		entry("the root after a block that cannot be read", junk+text(root), direct),
		entry("the root after a block of another kind", keyBlock+text(root), direct),
		entry("the root with text around it", "# root\n"+text(root)+"# end\n", direct),
	}
	return chains
}

func entry(name, pool string, server *issued, others ...*issued) Chain {
	key, err := x509.MarshalPKCS8PrivateKey(server.key)
	check(err)
	keyText := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
	chain := text(append([]*issued{server}, others...)...)
	pair, err := tls.X509KeyPair([]byte(chain), []byte(keyText))
	check(err)
	listener := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	listener.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	listener.Config.ErrorLog = log.New(io.Discard, "", 0)
	listener.StartTLS()
	defer listener.Close()
	certs := x509.NewCertPool()
	if !certs.AppendCertsFromPEM([]byte(pool)) {
		panic("no certificate in the pool of " + name)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: certs}}}
	result := Chain{Name: name, Pool: pool, Chain: chain, Key: keyText, Trusted: true}
	response, err := client.Get(listener.URL)
	if err != nil {
		result.Trusted = false
		_, result.Error, _ = strings.Cut(err.Error(), ": ")
	} else {
		response.Body.Close()
	}
	return result
}
