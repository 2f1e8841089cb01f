#if SQLite && os(Linux)
import CSQLite
import Portico
#endif
