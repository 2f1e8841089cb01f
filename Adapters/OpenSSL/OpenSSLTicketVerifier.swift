#if OpenSSL && os(Linux)
import COpenSSL
import Portico
#endif
