"""Letters of arXiv 2503.11272: one symbol, one meaning."""

from theorytools import letter

N = letter("N", "sequence length", integer=True, positive=True)
d = letter("d", "token dimension", integer=True, positive=True)
q = letter("q", "indexed tokens per position", integer=True, positive=True)
n = letter("n", "number of training prompts", integer=True, positive=True)
H = letter("H", "number of attention heads", integer=True, positive=True)
d_e = letter("d_e", "dimension of a position code", integer=True, positive=True)
s = letter("s", "temperature in units of (d_e/2) log 2", integer=True, positive=True)
r_x = letter("r_x", "bound on the norm of a token", positive=True)
beta = letter("beta", "effective inverse temperature", latex=r"\beta", nonnegative=True)
rho = letter("rho", "largest inner product of two distinct codes", latex=r"\rho")
leak = letter(
    "leak", "weight outside the indexed position, from the code's distances", latex="L", nonnegative=True
)
odds = letter("odds", "weight of an indexed token over that of any other, orthogonal codes", latex=r"\kappa",
              integer=True, positive=True)
m_1 = letter("m_1", "width of the first layer of a feedforward network", integer=True, positive=True)
copies = letter("copies", "training prompts that repeat another one", latex="c", integer=True, nonnegative=True)
rank = letter("rank", "rank of the first layer", latex=r"\operatorname{rank}W", integer=True, positive=True)
bayes = letter("bayes", "Bayes loss of the data span at the link u", latex="D(u)", nonnegative=True)
R_0 = letter("R_0", "risk of minimum-norm interpolation, one weight vector per index", nonnegative=True)
eps = letter("eps", "separation of the data: their smallest gap, at most 1", latex=r"\epsilon", positive=True)
gap = letter("gap", "smallest gap of the data", latex=r"\min_i(z_{i+1}-z_i)", positive=True)
y_2 = letter("y_2", "squared norm of the values", latex=r"\|y\|^2", nonnegative=True)
z_2 = letter("z_2", "squared norm of the abscissae", latex=r"\|z\|^2", nonnegative=True)
Q_all = letter("Q_all", "squared norm, one balancing", latex=r"Q_{\mathrm{all}}", nonnegative=True)
Q_each = letter("Q_each", "squared norm, each neuron balanced", latex=r"Q_{\mathrm{each}}", nonnegative=True)
M_up = letter("M_up", "squared norm of an interpolant near the minimum", latex=r"M_+", nonnegative=True)
y_top = letter("y_top", "largest |y_i| over the length of (z_i, 1)", nonnegative=True,
               latex=r"\max_i\tfrac{|y_i|}{\sqrt{1+z_i^2}}")
bend = letter("bend", "sum of the changes of slope", latex=r"\textstyle\sum_i|s_{i+1}-s_i|", nonnegative=True)
D = letter("D", "dimension of the space that is packed", integer=True, positive=True)
eta = letter("eta", "least distance of the packed points", latex=r"\eta", positive=True)
spacing = letter("spacing", "distance of neighbours on a line over eta", latex=r"\varsigma", positive=True)
C = letter("C", "constant of a bound", positive=True)
norm_F = letter("norm_F", "Frobenius norm of the map that makes the body", latex=r"\|U\|_F", positive=True)
norm_op = letter("norm_op", "operator norm of that map", latex=r"\|U\|_{\mathrm{op}}", positive=True)
rho_1 = letter("rho_1", "inner product of two codes, guaranteed by their design", latex=r"\bar\rho")
rho_2 = letter("rho_2", "its modulus, guaranteed by the design", latex=r"\bar\rho_\pm", nonnegative=True)
miss = letter("miss", "amount by which the design misses one half", latex=r"\mu", nonnegative=True)
