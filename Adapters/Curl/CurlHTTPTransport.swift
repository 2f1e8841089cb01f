#if Curl && os(Linux)
import CCurl
import Portico
#endif
