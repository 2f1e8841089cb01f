/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5), canonical only (§3.5).
package enum Base64URL {}
