#if ZBar && os(Linux)
import CZBar
import Portico
#endif
