// Verifies a server's certificate as the API server does: verify CA-BUNDLE CERTIFICATE KEY NAME.
package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
)

func main() {
	if problem := verify(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); problem != nil {
		fmt.Println(problem)
		os.Exit(1)
	}
	fmt.Println("verified")
}

func verify(bundleFile, certificateFile, keyFile, name string) error {
	bundle, err := os.ReadFile(bundleFile)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		return fmt.Errorf("no authority in %s", bundleFile)
	}
	pair, err := tls.LoadX509KeyPair(certificateFile, keyFile)
	if err != nil {
		return err
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return err
	}
	chains, err := leaf.Verify(x509.VerifyOptions{
		Roots:     roots,
		DNSName:   name,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return err
	}
	authority := chains[0][1]
	key, ok := leaf.PublicKey.(*ecdsa.PublicKey)
	switch {
	case !ok || key.Curve != elliptic.P256():
		return fmt.Errorf("the key is not of P-256")
	case leaf.KeyUsage != x509.KeyUsageDigitalSignature:
		return fmt.Errorf("key usage %d", leaf.KeyUsage)
	case leaf.IsCA || !leaf.BasicConstraintsValid:
		return fmt.Errorf("the constraints of a server's certificate are wrong")
	case !authority.IsCA || !authority.BasicConstraintsValid || !authority.MaxPathLenZero:
		return fmt.Errorf("the constraints of the authority are wrong")
	case authority.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign:
		return fmt.Errorf("key usage %d of the authority", authority.KeyUsage)
	case string(leaf.AuthorityKeyId) != string(authority.SubjectKeyId) || len(leaf.SubjectKeyId) == 0:
		return fmt.Errorf("the key identifiers do not fit")
	case leaf.NotAfter.After(authority.NotAfter):
		return fmt.Errorf("it outlives its authority")
	case leaf.SerialNumber.Sign() <= 0 || leaf.SerialNumber.BitLen() != 128:
		return fmt.Errorf("serial number %s", leaf.SerialNumber)
	}
	return handshake(pair, roots, name)
}

func handshake(pair tls.Certificate, roots *x509.CertPool, name string) error {
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		return err
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func(connection net.Conn) {
				connection.(*tls.Conn).Handshake()
				connection.Close()
			}(connection)
		}
	}()
	connection, err := tls.Dial("tcp", listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: name})
	if err != nil {
		return err
	}
	return connection.Close()
}
