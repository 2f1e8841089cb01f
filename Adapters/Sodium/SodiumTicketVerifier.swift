#if Sodium && os(Linux)
import CSodium
import Portico
#endif
